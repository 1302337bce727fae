package api

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Options are the settings of the API.
type Options struct {
	Store *tracker.Store

	// Draw returns what podtrack plot writes of a request, whose kind has a name alone; nil for no figures.
	Draw func(context.Context, figure.Request) ([]byte, error)

	Glossary any // the document of /api/glossary, nil for none

	Timeout time.Duration // how long a client may take to send a request or to read each MiB of an answer; 0 means 30 s
}

// DefaultTimeout is the default of APIOptions.Timeout.
const DefaultTimeout = 30 * time.Second

// server is the state that all requests share.
type server struct {
	Options
	reply.Sender
	instanceID string // an identifier that no other server process has, part of all tags
	light      places
	heavy      places
	drawings   places
	streams    places
	lists      *lists
	answers    *answerCache
	watcher    *watch.Watcher
	limits     limits
}

// newServer returns a server with defaults filled in.
func newServer(o Options) *server {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	return &server{
		Options: o, Sender: reply.Sender{Timeout: o.Timeout}, instanceID: rand.Text(),
		light: newPlaces(maxLight, lightTurn), heavy: newPlaces(maxHeavy, heavyTurn),
		drawings: newPlaces(maxDrawings, heavyTurn), streams: newPlaces(maxStreams, 0),
		lists: newLists(), answers: &answerCache{places: map[string]*list.Element{}},
		watcher: watch.NewWatcher(o.Store, describeRow), limits: standardLimits,
	}
}

// endpoints returns all endpoints of the API except the event stream.
func (s *server) endpoints() []endpoint {
	const run, option = "/api/runs/{run}", "/api/runs/{run}/iterations/{k}/options/{j}"
	return []endpoint{
		{"/api/version", nil, light, nil, s.version},
		{"/api/glossary", nil, light, nil, s.glossary},
		{"/api/runs", []string{"q", "sort", "offset", "limit", "measure", "own"}, light, nil, s.runs},
		{"/api/fields", []string{"q"}, light, s.aboutStore, s.fields},
		{"/api/studies", nil, light, nil, s.studies},
		{"/api/study", []string{"name"}, heavy, s.aboutStudy, s.study},
		{run, nil, light, s.aboutDetail, s.run},
		{run + "/options", nil, heavy, s.aboutRun, s.options},
		{run + "/exploration", nil, heavy, s.aboutRun, s.exploration},
		{run + "/options/{number}", nil, light, s.aboutRun, s.option},
		{option, nil, light, s.aboutRun, s.option},
		{option + "/why", nil, heavy, s.aboutRun, s.why},
		{"/api/diff", []string{"a", "b", "specs"}, heavy, s.aboutBoth, s.diff},
		{"/api/group", []string{"q", "by"}, heavy, s.aboutSelected, s.group},
		{"/api/compare",
			[]string{"a", "b", "group", "q", "by", "baseline", "paired", "measure"}, heavy, s.aboutGroups, s.compare},
		{"/api/measures", []string{"a", "b", "group", "q", "by", "baseline", "measure"}, heavy, s.aboutGroups, s.measures},
		{"/api/figure/{figure}", append(figureFlags(), "of", "readouts"), drawing, s.aboutFigure, s.figure},
	}
}

// endpoint is a path of the API and the function that answers it.
type endpoint struct {
	path   string
	params []string // allowed query parameters
	cost   cost
	about  about                       // what the answer depends on; nil if that is unknown
	answer func(*request) (any, error) // returns a document, or a reply.Answer that is none
}

// cost is how much work an answer is. Requests of each cost have a queue of their own.
type cost int

const (
	light   cost = iota // takes milliseconds
	heavy               // can take seconds of processor time
	drawing             // a figure: as much work as heavy, but it must not wait behind heavy requests
)

// about is a function that returns what an answer depends on, without computing the
// answer. For most endpoints that is the runs, as the list shows them.
type about func(*request) (any, error)

// maxStates bounds what is read at once of an environment: 32 MiB of values.
const maxStates = 1 << 22

// open returns the run that a reference names. It fails if the run is too large for a
// page.
func (s *server) open(r *request, ref string) (*recorded.Records, error) {
	runs, err := s.named(r, ref)
	if err == nil {
		err = tooLarge(runs[0])
	}
	if err != nil {
		return nil, err
	}
	return recorded.Open(s.Store.Within(r.Context()), runs[0].Source)
}

// openToCompare opens a run like open, for package diff.
func (s *server) openToCompare(r *request, ref string) (*diff.Side, error) {
	run, err := s.open(r, ref)
	if err != nil {
		return nil, err
	}
	return diff.New(run)
}

// checkServed returns an error for more runs than are compared at once, and for one that is too large.
func checkServed(runs []report.Run, most int) error {
	err := tooMany(len(runs), "runs", most)
	for _, run := range runs {
		if err = cmp.Or(err, tooLarge(run)); err != nil {
			break
		}
	}
	return err
}

// tooLarge returns an error if a run's environment has more than maxStates states.
func tooLarge(r report.Run) error {
	env, err := pod.NewEnvForSpec(r.Spec)
	if err == nil && env.States() > maxStates {
		err = schema.Hint(reply.Errorf(http.StatusConflict,
			"run %s: its environment has %d states, and only up to %d are served", r.Label(), env.States(), maxStates),
			"the command line has no such bound: podtrack show %s, podtrack options %s",
			textfmt.ShellQuote(r.Label()), textfmt.ShellQuote(r.Label()))
	}
	return err
}
