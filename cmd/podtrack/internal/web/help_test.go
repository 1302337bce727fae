package web

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

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

var ok = schematest.Must

// small returns a spec of which an iteration takes about a millisecond.
func small(seed uint64) schema.Spec {
	s := pod.PaperSpec()
	s.Seed, s.Steps, s.Env.Params["bits"] = seed, 200, 7
	return s
}

func storeAt(path string) *tracker.Store { return tracker.New(path, tracker.Options{}) }

// perform runs specs into a store.
func perform(t testing.TB, store *tracker.Store, iterations int, specs ...schema.Spec) {
	t.Helper()
	var jobs []replay.Job
	for _, spec := range specs {
		jobs = append(jobs, replay.Job{Spec: spec, Target: iterations})
	}
	performJobs(t, store, jobs)
}

func performJobs(t testing.TB, store *tracker.Store, jobs []replay.Job) {
	t.Helper()
	ok(t, store.Create(t.Context()))
	w := tracker.StartWriter(t.Context(), store)
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

// forked makes a run of the first k iterations of another, and goes on with it.
func forked(t testing.TB, store *tracker.Store, of schema.Digest, k int, gamma float64) schema.Digest {
	t.Helper()
	job := replay.Job{Fork: &tracker.Fork{Parent: of, K: k}, Target: k + 1}
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		parent, err := tx.ReadRun(of)
		ok(t, err)
		before, err := tx.ReadIteration(of, k-1)
		ok(t, err)
		job.Spec, job.Start = parent.Spec, &before.Link
		job.Spec.Gamma = gamma
		return nil
	}))
	performJobs(t, store, []replay.Job{job})
	id, err := job.ID()
	ok(t, err)
	return id
}

// filled returns a store with runs of seeds 0, 1 and 2.
func filled(t testing.TB) *tracker.Store {
	t.Helper()
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	perform(t, store, 3, small(0), small(1), small(2))
	return store
}

func idOf(t testing.TB, spec schema.Spec) string {
	t.Helper()
	id, err := schema.RunID(spec, nil)
	ok(t, err)
	return id.String()
}

// local returns the options of a server for this machine alone.
func local(store *tracker.Store) Options { return Options{Store: store, Addr: "127.0.0.1:8080"} }

// askIn returns an answer to a request that ends with ctx.
func askIn(ctx context.Context, h http.Handler, target string) *httptest.ResponseRecorder {
	return ask(h, target, func(r *http.Request) { *r = *r.WithContext(ctx) })
}

// ask returns a request to the server itself, as its page makes it.
func ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
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

// wantFailure holds an answer to the form that all refusals have.
func wantFailure(t *testing.T, w *httptest.ResponseRecorder, status int) failure {
	t.Helper()
	var f failure
	body, err := io.ReadAll(w.Result().Body)
	ok(t, err)
	if err := json.Unmarshal(body, &f); err != nil || f.Error == "" || f.Remedy == "" || w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, body)
	}
	return f
}
