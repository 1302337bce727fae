package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

func TestMain(m *testing.M) { schematest.Main(m) }

var ok = schematest.Must

// The server knows the commands that are registered. These stand for those of package command, which is above it.
var _ = []struct{}{
	cmdline.Register(cmdline.Command{Name: "ls", Served: []string{"columns", "sort", "best", "limit"}}),
	cmdline.Register(cmdline.Command{Name: "status", Served: []string{}}),
	cmdline.Register(cmdline.Command{Name: "show", Served: []string{"spec", "exploration", "measure"}}),
	cmdline.Register(cmdline.Command{Name: "diff", Served: []string{"group", "by"}}),
	cmdline.Register(cmdline.Command{Name: "compare", Served: []string{"by", "measure"}}),
	cmdline.Register(cmdline.Command{Name: "plot"}),
	cmdline.Register(cmdline.Command{Name: "plot walk", Served: []string{"theme"}}),
	cmdline.Register(cmdline.Command{Name: "rm"}),
}

// echo is an executor that prints the words that it is given.
func echo(_ context.Context, words []string, stdout, _ io.Writer) error {
	if slices.Contains(words, "--json") {
		return json.NewEncoder(stdout).Encode(words)
	}
	_, err := fmt.Fprintf(stdout, "%q", words)
	return err
}

func storeAt(path string) *tracker.Store { return tracker.New(path, tracker.Options{}) }

// local returns the options of a server for this machine alone.
func local(store *tracker.Store) Options {
	return Options{Store: store, Execute: echo, Addr: "127.0.0.1:8080"}
}

// small returns a spec of which an iteration takes about a millisecond.
func small(seed uint64) schema.Spec {
	s := pod.PaperSpec()
	s.Seed, s.Steps, s.Env.Params["bits"] = seed, 200, 7
	return s
}

// perform runs specs into a store.
func perform(t testing.TB, store *tracker.Store, iterations int, specs ...schema.Spec) {
	t.Helper()
	var jobs []replay.Job
	for _, spec := range specs {
		jobs = append(jobs, replay.Job{Spec: spec, Target: iterations})
	}
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

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// within makes a request end with a context.
func within(ctx context.Context) func(*http.Request) {
	return func(r *http.Request) { *r = *r.WithContext(ctx) }
}

// wantFailure fails the test unless an answer has the status and the form that programs are refused in.
func wantFailure(t testing.TB, w *httptest.ResponseRecorder, status int) (f failure) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || f.Error == "" || f.Remedy == "" || w.Code != status {
		t.Errorf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
	return f
}
