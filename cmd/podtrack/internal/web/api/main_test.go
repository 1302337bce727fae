package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

func TestMain(m *testing.M) { schematest.Main(m) }

var ok = schematest.Must

// small returns a spec of which an iteration takes about a millisecond.
func small(seed uint64) schema.Spec {
	s := pod.PaperSpec()
	s.Seed, s.Steps, s.Env.Params["bits"] = seed, 200, 7
	return s
}

func storeAt(path string) *tracker.Store { return tracker.New(path, tracker.Options{}) }

// optionsFor returns the options of an API of a store.
func optionsFor(store *tracker.Store) Options { return Options{Store: store} }

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
	_, err := replay.NewStore(store).RunAll(t.Context(), jobs, 2, replay.Options{})
	ok(t, err)
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

func ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(http.MethodGet, target, nil), httptest.NewRecorder()
	for _, c := range change {
		c(r)
	}
	h.ServeHTTP(w, r)
	return w
}

// askIn returns the answer to a request that ends with ctx.
func askIn(ctx context.Context, h http.Handler, target string) *httptest.ResponseRecorder {
	return ask(h, target, func(r *http.Request) { *r = *r.WithContext(ctx) })
}

// wantFailure fails the test unless an answer has the status and the form that all refusals have.
func wantFailure(t testing.TB, w *httptest.ResponseRecorder, status int) (f reply.Failure) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || f.Error == "" || f.Remedy == "" || w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
	return f
}
