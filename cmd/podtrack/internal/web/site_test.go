package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/api"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

func TestMain(m *testing.M) { schematest.Main(m) }

var ok = schematest.Must

func storeAt(path string) *tracker.Store { return tracker.New(path, tracker.Options{}) }

// local returns the options of a server for this machine alone.
func local(store *tracker.Store) Options {
	return Options{Options: api.Options{Store: store}, Addr: "127.0.0.1:8080"}
}

// filled returns a store with runs of seeds 0, 1 and 2, which take milliseconds.
func filled(t testing.TB) *tracker.Store {
	t.Helper()
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, err)
	for seed := range uint64(3) {
		spec := pod.PaperSpec()
		spec.Seed, spec.Steps, spec.Env.Params["bits"] = seed, 200, 7
		_, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 3}, replay.Options{})
		ok(t, err)
	}
	return store.Tracker()
}

// ask returns the answer to a request to the server itself, as its page makes it.
func ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil), httptest.NewRecorder()
	r.RequestURI = target
	if u, err := r.URL.Parse(target); err == nil {
		r.URL = u
	}
	for _, c := range change {
		c(r)
	}
	h.ServeHTTP(w, r)
	return w
}

// wantFailure fails the test unless an answer has the status and the form that all refusals have.
func wantFailure(t testing.TB, w *httptest.ResponseRecorder, status int) {
	t.Helper()
	var f reply.Failure
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || f.Error == "" || f.Remedy == "" || w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
}
