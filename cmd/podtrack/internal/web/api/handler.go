package api

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// New returns the handler of everything under /api/.
func New(o Options) http.Handler { return newServer(o).handler() }

// handler returns the routes.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, e := range s.endpoints() {
		mux.Handle(e.path, s.handle(e))
	}
	mux.HandleFunc("/api/events", s.events)
	mux.HandleFunc("/api/", s.notFound)
	return mux
}

// handle returns the handler of an endpoint. It computes the answer, then sends it
// unless the client has it already.
func (s *server) handle(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := s.compute(e, r)
		if err != nil {
			s.Refuse(w, err)
			return
		}
		if a.Tag != "" {
			// A browser keeps the answer, but asks each time whether it is current.
			w.Header().Set("Cache-Control", "private, no-cache")
			w.Header().Set("ETag", a.Tag)
		}
		if reply.ClientHas(r, a.Tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if a.File != "" {
			w.Header().Set("Content-Disposition", a.File)
		}
		s.Send(w, http.StatusOK, a)
	})
}

// longest is how long an answer may take. A computation notices this only where it
// checks its context.
const longest = 2 * time.Minute

// compute returns an answer, from the cache if it is there, or only its tag if the client has the rest.
func (s *server) compute(e endpoint, r *http.Request) (reply.Answer, error) {
	q, err := parseQuery(r.URL.RawQuery, e.params)
	if err != nil {
		return reply.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	asked := &request{Request: r.WithContext(ctx), query: q}
	if err := s.light.acquire(ctx); err != nil {
		return reply.Answer{}, err
	}
	tag, err := s.tag(e, asked) // which fails for what is not there
	if err != nil {
		s.light.release()
		return reply.Answer{}, err
	}
	if a, had := s.answered(r, tag); had {
		s.light.release()
		return a, nil
	}
	if e.cost == light {
		defer s.light.release()
	} else {
		s.light.release()
		places := s.heavy
		if e.cost == drawing {
			places = s.drawings
		}
		if err := places.acquire(ctx); err != nil {
			return reply.Answer{}, err
		}
		defer places.release()
		if a, had := s.answered(r, tag); had { // another request has computed it meanwhile
			return a, nil
		}
	}
	found, err := e.answer(asked)
	if err != nil {
		return reply.Answer{}, err
	}
	a, isWhole := found.(reply.Answer)
	if !isWhole {
		a, err = reply.JSON(found)
	}
	a.Tag = tag
	if err == nil && tag != "" {
		if now, _ := s.tag(e, asked); now == tag { // what it depends on has not changed meanwhile
			s.answers.keep(a)
		}
	}
	return a, err
}

// pathRef returns the reference that a path makes: to a run, an iteration or an option.
func pathRef(r *request) (report.Ref, error) {
	text := r.PathValue("run")
	switch k, j, number := r.PathValue("k"), r.PathValue("j"), r.PathValue("number"); {
	case number != "":
		text += ":#" + number
	case j != "":
		text += ":" + k + "/" + j
	case k != "":
		text += ":" + k
	default:
		return report.Ref{Run: text, WholeRun: true}, nil // whatever it is, nothing else is named
	}
	return report.ParseRef(text)
}

// answered returns the answer with a tag if it need not be computed: the tag alone if the client has the rest.
func (s *server) answered(r *http.Request, tag string) (reply.Answer, bool) {
	if reply.ClientHas(r, tag) {
		return reply.Answer{Tag: tag}, true
	}
	return s.answers.find(tag)
}

// notFound answers requests under /api that match no endpoint.
func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.Refuse(w, schema.Hint(reply.Errorf(http.StatusNotFound, "there is no %q", r.URL.Path),
		"/api/runs is a beginning; API.md beside the source lists what there is"))
}
