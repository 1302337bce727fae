package api

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestReasons lists runs that are complete, failed and given up: the list and the run's own
// document say the same of each.
func TestReasons(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	perform(t, store, 1, small(0))
	w := groupcommit.Start(t.Context(), store)
	for seed, failure := range map[uint64]error{1: errors.New("the disk is full"), 2: nil} {
		run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(seed), Target: 1})
		ok(t, err)
		if failure != nil {
			run.Fail(failure, nil)
		} else {
			run.Release(nil)
		}
	}
	ok(t, w.Close(t.Context()))
	h := New(optionsFor(store))
	var list struct{ Runs []listedRun }
	ok(t, json.Unmarshal(ask(h, "/api/runs?sort=seed").Body.Bytes(), &list))
	for seed, want := range []string{"", "the disk is full", "no process works on it"} {
		var one listedRun
		ok(t, json.Unmarshal(ask(h, "/api/runs/"+idOf(t, small(uint64(seed)))).Body.Bytes(), &one))
		if listed := list.Runs[seed]; listed.Reason != want || one.Reason != want {
			t.Errorf("seed %d is %s: %q in the list and %q alone, want %q", seed, listed.Status, listed.Reason, one.Reason, want)
		}
	}
}
