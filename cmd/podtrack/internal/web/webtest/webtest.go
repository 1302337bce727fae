// Package webtest has stores with small runs, and requests as the page makes them, for the tests of package web and of
// those below it.
package webtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

var ok = schematest.Must

// Small returns a spec of which an iteration takes about a millisecond.
func Small(seed uint64) schema.Spec {
	s := pod.PaperSpec()
	s.Seed, s.Steps, s.Env.Params["bits"] = seed, 200, 7
	return s
}

// StoreAt returns the store of a file.
func StoreAt(path string) *tracker.Store { return tracker.New(path, tracker.Options{}) }

// Perform runs specs into a store.
func Perform(t testing.TB, store *tracker.Store, iterations int, specs ...schema.Spec) {
	t.Helper()
	var jobs []replay.Job
	for _, spec := range specs {
		jobs = append(jobs, replay.Job{Spec: spec, Target: iterations})
	}
	PerformJobs(t, store, jobs)
}

// PerformJobs makes runs in a store.
func PerformJobs(t testing.TB, store *tracker.Store, jobs []replay.Job) {
	t.Helper()
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	var mu sync.Mutex
	var failed error
	replay.NewEngine(store, w, replay.Options{}).RunAll(t.Context(), slices.Values(jobs), 2,
		func(_ replay.Job, o replay.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			if o.Err != nil {
				failed = o.Err
			}
		})
	ok(t, w.Close(t.Context()))
	ok(t, failed)
}

// Filled returns a store with runs of seeds 0, 1 and 2.
func Filled(t testing.TB) *tracker.Store {
	t.Helper()
	store := StoreAt(filepath.Join(t.TempDir(), "podtrack.db"))
	Perform(t, store, 3, Small(0), Small(1), Small(2))
	return store
}

// IDOf returns the ID of a run.
func IDOf(t testing.TB, spec schema.Spec) string {
	t.Helper()
	id, err := schema.RunID(spec, nil)
	ok(t, err)
	return id.String()
}

// AskIn returns an answer to a request that ends with ctx.
func AskIn(ctx context.Context, h http.Handler, target string) *httptest.ResponseRecorder {
	return Ask(h, target, func(r *http.Request) { *r = *r.WithContext(ctx) })
}

// Ask returns a request to the server itself, as its page makes it.
func Ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)
	r.RequestURI = target
	if u, err := r.URL.Parse(target); err == nil {
		r.URL = u
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// WantFailure fails the test unless an answer has the status and the form that all refusals have.
func WantFailure(t testing.TB, w *httptest.ResponseRecorder, status int) reply.Failure {
	t.Helper()
	var f reply.Failure
	body, err := io.ReadAll(w.Result().Body)
	ok(t, err)
	if err := json.Unmarshal(body, &f); err != nil || f.Error == "" || f.Remedy == "" || w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, body)
	}
	return f
}
