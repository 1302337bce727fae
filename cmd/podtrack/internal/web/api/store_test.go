package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestStoreComesAndGoes asks for runs while the store is not there, is there, is
// another one, is none, and is in use.
func TestStoreComesAndGoes(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "podtrack.db"), filepath.Join(dir, "other.db")
	h := New(Options{Store: tracker.New(path, tracker.Options{Wait: time.Millisecond})})
	if f := wantFailure(t, ask(h, "/api/runs"), 404); !strings.Contains(f.Remedy, "podtrack run") {
		t.Errorf("remedy %q", f.Remedy)
	}
	perform(t, storeAt(path), 1, small(0))
	perform(t, storeAt(other), 1, small(1), small(2))
	if n := listed(t, h, "").Total; n != 1 {
		t.Errorf("%d runs", n)
	}
	ok(t, os.Rename(other, path))
	if n := listed(t, h, "").Total; n != 2 {
		t.Errorf("%d runs after another store took its place", n)
	}
	wantFailure(t, ask(h, "/api/runs/"+idOf(t, small(0))), 404)
	ok(t, storeAt(path).Update(t.Context(), func(*tracker.Tx) error {
		w := ask(h, "/api/runs")
		wantFailure(t, w, 503)
		if w.Header().Get("Retry-After") == "" {
			t.Error("it does not say when to ask again")
		}
		return nil
	}))
	ok(t, os.WriteFile(path, []byte("nothing"), 0o666))
	wantFailure(t, ask(h, "/api/runs"), 409)
}

// TestPruned asks for what was dropped.
func TestPruned(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	var outcome replay.Outcome
	replay.NewEngine(store, w, replay.Options{}).Run(t.Context(),
		replay.Job{Spec: small(0), Target: 2, Keep: &tracker.Retention{}}, func(o replay.Outcome) { outcome = o })
	ok(t, w.Close(t.Context()))
	ok(t, outcome.Err)
	h, run := New(optionsFor(store)), "/api/runs/"+idOf(t, small(0))
	for _, path := range []string{"/options", "/exploration", "/iterations/0/options/1+", "/iterations/0/options/1+/why"} {
		if f := wantFailure(t, ask(h, run+path), 409); !strings.Contains(f.Remedy, "repair --pruned") {
			t.Errorf("%s: %s", path, f.Remedy)
		}
	}
	if w := ask(h, run); w.Code != 200 {
		t.Errorf("the run itself: %s", w.Body)
	}
}

// TestNoOption asks for options that there are not.
func TestNoOption(t *testing.T) {
	h, run := New(optionsFor(filled(t))), "/api/runs/"+idOf(t, small(2))
	for path, status := range map[string]int{
		"/iterations/3/options/1+": 404, "/iterations/0/options/99+": 404, "/iterations/0/options/0+": 400,
		"/iterations/0/options/1":  400,
		"/iterations/x/options/1+": 400, "/iterations/-1/options/1+": 400, "/iterations/0/options/1+/why?state=1": 400,
		"/iterations/0/options/1+/none": 404, "/iterations/99999999999/options/1+": 400,
	} {
		wantFailure(t, ask(h, run+path), status)
	}
}

// TestTooLarge refuses a run whose tables would fill the memory.
func TestTooLarge(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, store.Create(t.Context()))
	large := small(0)
	large.Env.Params["bits"] = 28
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: large, Target: 1})
	ok(t, err)
	run.Release(nil)
	ok(t, w.Close(t.Context()))
	h, id := New(optionsFor(store)), idOf(t, large)
	for _, target := range []string{"/api/runs/" + id + "/exploration", "/api/runs/" + id + "/options",
		"/api/group?q=env%3D*", "/api/diff?a=" + id + "&b=" + id} {
		wantFailure(t, ask(h, target), http.StatusConflict)
	}
	if w := ask(h, "/api/runs/"+id); w.Code != 200 {
		t.Errorf("the run itself: %s", w.Body)
	}
}
