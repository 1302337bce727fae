package api

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
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
