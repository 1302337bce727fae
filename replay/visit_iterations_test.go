package replay_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestVisitIterations visits iterations of one record of transitions and of several, in order; those of several do not
// share a transaction, and an error ends the visits and tells at which iteration.
func TestVisitIterations(t *testing.T) {
	chunks := []int{1, 1, 3, 0, 1, 2, 2, 1}
	its := make([]schema.Iteration, len(chunks))
	for k, n := range chunks {
		its[k].Records = slices.Repeat([]schema.Entry{{Kind: schema.KindTransitions}}, n)
	}
	opened, open := 0, false
	view := func(read func(*tracker.Tx) error) error {
		if open {
			t.Error("a transaction is opened within another")
		}
		opened, open = opened+1, true
		defer func() { open = false }()
		return read(nil)
	}
	fault := errors.New("fault")
	for _, bad := range []int{0, 2, 4, 7, len(its)} {
		var visited []int
		opened = 0
		k, err := (&recorded.Records{Iterations: its, View: view}).VisitIterations(func(in *recorded.Records, k int) error {
			visited = append(visited, k)
			if open != (chunks[k] <= 1) {
				t.Errorf("iteration %d: within a transaction is %v", k, open)
			}
			if k == bad {
				return fault
			}
			return in.View(func(*tracker.Tx) error { return nil })
		})
		if bad < len(its) != errors.Is(err, fault) || k != bad {
			t.Errorf("a fault in iteration %d: ended at %d: %v", bad, k, err)
		}
		for i, k := range visited {
			if i != k {
				t.Fatalf("visited %v", visited)
			}
		}
		if len(visited) != min(bad+1, len(its)) || opened > len(visited) {
			t.Errorf("a fault in iteration %d: visited %v in %d transactions", bad, visited, opened)
		}
	}
}
