package web

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Options say what is served, and to whom.
type Options struct {
	Store *tracker.Store
	Addr  string // HOST:PORT that is listened on
	Token string // that a client must know, "" for none

	Patience time.Duration // how long a client may take to send a request or to read an answer; 0 means 30 s
}

// patience is the standard one.
const patience = 30 * time.Second

// server is what all requests share.
type server struct {
	Options
	hosts   []string // that this machine goes by, beside loopback's, with the port
	light   slots
	heavy   slots
	streams slots
	lists   lists
	tracks  *tracks
	watcher *watcher
	page    map[string]asset
}

// At most so much is under way at once. Others wait a little.
const (
	maxLight   = 64
	lightTurn  = 5 * time.Second
	maxHeavy   = 2
	heavyTurn  = 30 * time.Second
	maxStreams = 64
)

// New makes the handler of everything under /.
func New(o Options) http.Handler {
	if o.Patience == 0 {
		o.Patience = patience
	}
	s := &server{
		Options: o, hosts: hostsOf(o.Addr),
		light: newSlots(maxLight, lightTurn), heavy: newSlots(maxHeavy, heavyTurn), streams: newSlots(maxStreams, 0),
		tracks: newTracks(o.Store), watcher: newWatcher(o.Store), page: page(),
	}
	mux := http.NewServeMux()
	for _, e := range s.endpoints() {
		mux.Handle(e.path, s.handle(e))
	}
	mux.HandleFunc("/api/events", s.events)
	mux.HandleFunc("/api/", s.nothing)
	mux.HandleFunc("/", s.asset)
	return s.guard(mux)
}

// endpoint is one thing to ask for.
type endpoint struct {
	path   string
	params []string // that it takes, beside those in the path
	heavy  bool     // it may take seconds of a processor
	answer func(*request) (answer, error)
}

func (s *server) endpoints() []endpoint {
	const run, option = "/api/runs/{run}", "/api/runs/{run}/iterations/{k}/options/{j}"
	return []endpoint{
		{"/api/version", nil, false, s.version},
		{"/api/runs", []string{"q", "sort", "offset", "limit"}, false, s.runs},
		{"/api/fields", []string{"q"}, false, s.fields},
		{run, nil, false, s.run},
		{run + "/options", nil, true, s.options},
		{run + "/walk", []string{"k", "from", "to", "width"}, false, s.walk},
		{option, nil, false, s.option},
		{option + "/value", nil, false, s.value},
		{option + "/policy", nil, false, s.policy},
		{option + "/why", []string{"state"}, true, s.why},
		{"/api/diff", []string{"a", "b"}, true, s.diff},
		{"/api/group", []string{"q"}, true, s.group},
		{"/api/compare", []string{"a", "b", "paired", "measure"}, true, s.compare},
		{"/api/table1", nil, true, s.table1},
	}
}

// handle computes an answer, then sends it.
func (s *server) handle(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := s.compute(e, r)
		if err != nil {
			s.refuse(w, err)
			return
		}
		s.send(w, http.StatusOK, a)
	})
}

// longest is how long an answer may take. What it computes between two looks at
// its context is not cut short.
const longest = 2 * time.Minute

func (s *server) compute(e endpoint, r *http.Request) (answer, error) {
	q, err := parseQuery(r.URL.RawQuery, e.params)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	places := s.light
	if e.heavy {
		places = s.heavy
	}
	if err := places.enter(ctx); err != nil {
		return answer{}, err
	}
	defer places.leave()
	return e.answer(&request{Request: r.WithContext(ctx), query: q})
}

// nothing is what is under /api where no endpoint is.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, schema.Hint(coded(http.StatusNotFound, "there is no %q", shown(r.URL.Path)), "/api/runs is a beginning; API.md beside the source lists what there is"))
}
