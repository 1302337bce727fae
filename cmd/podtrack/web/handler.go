package web

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Options say what is served, and to whom.
type Options struct {
	Store *tracker.Store
	Addr  string // HOST:PORT that is listened on
	Token string // that a client must know, "" for none

	Draw func(context.Context, Drawing) ([]byte, error) // what podtrack plot writes, nil for none

	Patience time.Duration // how long a client may take to send a request or to read an answer; 0 means 30 s
}

// patience is the standard one.
const patience = 30 * time.Second

// server is what all requests share.
type server struct {
	Options
	born    string   // which of all servers it is
	hosts   []string // that this machine goes by, beside loopback's, with the port
	light   semaphore
	heavy   semaphore
	streams semaphore
	lists   *lists
	tracks  *walkCache
	watcher *watcher
	page    map[string]answer

	elsewhere sweep.PendingParts // runs that are on their way into the store
}

// At most so much is under way at once. Others wait a little.
const (
	maxLight   = 16
	lightTurn  = 5 * time.Second
	maxHeavy   = 2
	heavyTurn  = 30 * time.Second
	maxStreams = 64
)

// New makes the handler of everything under /.
func New(o Options) http.Handler { return newServer(o).handler() }

func newServer(o Options) *server {
	if o.Patience == 0 {
		o.Patience = patience
	}
	return &server{
		Options: o, born: newInstanceID(), hosts: hostsOf(o.Addr),
		light: newSemaphore(maxLight, lightTurn), heavy: newSemaphore(maxHeavy, heavyTurn), streams: newSemaphore(maxStreams, 0),
		lists: newLists(), tracks: newWalkCache(o.Store), watcher: newWatcher(o.Store), page: page(),
	}
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, e := range s.endpoints() {
		mux.Handle(e.path, s.handle(e))
	}
	mux.HandleFunc("/api/events", s.events)
	mux.HandleFunc("/api/", s.notFound)
	mux.HandleFunc("/", s.asset)
	return s.guard(mux)
}

// handle computes an answer, then sends it, unless the client has it.
func (s *server) handle(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := s.compute(e, r)
		if err != nil {
			s.refuse(w, err)
			return
		}
		if a.tag != "" {
			w.Header().Set("Cache-Control", "private, no-cache") // ask, each time, whether it still is so
			w.Header().Set("ETag", a.tag)
		}
		if has(r, a.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if a.file != "" {
			w.Header().Set("Content-Disposition", a.file)
		}
		s.send(w, http.StatusOK, a)
	})
}

// longest is how long an answer may take. What it computes between two looks at
// its context is not cut short.
const longest = 2 * time.Minute

// compute is an answer, or its tag alone where the client has the rest.
func (s *server) compute(e endpoint, r *http.Request) (answer, error) {
	q, err := parseQuery(r.URL.RawQuery, e.params)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	asked := &request{Request: r.WithContext(ctx), query: q}
	if err := s.light.acquire(ctx); err != nil {
		return answer{}, err
	}
	tag := s.tag(e, asked)
	if has(r, tag) || !e.heavy {
		defer s.light.release()
	} else {
		s.light.release()
		if err := s.heavy.acquire(ctx); err != nil {
			return answer{}, err
		}
		defer s.heavy.release()
	}
	if has(r, tag) {
		return answer{tag: tag}, nil
	}
	a, err := e.answer(asked)
	a.tag = tag
	return a, err
}

// notFound is what is under /api where no endpoint is.
func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, schema.Hint(coded(http.StatusNotFound, "there is no %q", shown(r.URL.Path)), "/api/runs is a beginning; API.md beside the source lists what there is"))
}
