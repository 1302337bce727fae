package sweep

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

func newStore(t testing.TB) *tracker.Store {
	t.Helper()
	store := tracker.New(filepath.Join(t.TempDir(), "store.db"), tracker.Options{})
	ok(t, store.Create(t.Context()))
	return store
}

// perform makes the runs of those numbers, each with so many iterations.
func perform(t testing.TB, plan *Plan, store *tracker.Store, iterations int, numbers ...int) {
	t.Helper()
	part := *plan
	part.Iterations = iterations
	r, err := Executor{Plan: &part, Store: store, Parallel: 1, Close: closeNow}.Execute(t.Context(), numbers)
	ok(t, err)
	if r.Complete != len(numbers) {
		t.Fatalf("%d of %d runs are complete: %+v", r.Complete, len(numbers), r)
	}
}

func closeNow(w *groupcommit.Writer) error { return w.Close(context.Background()) }

// scan adds the state of a store's runs.
func scan(t testing.TB, l *Progress, store *tracker.Store) {
	t.Helper()
	ok(t, l.Scan(t.Context(), store))
}
