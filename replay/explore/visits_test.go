package explore

import (
	"testing"

	"pgregory.net/rapid"
)

// TestVisits compares with maps, over states in several pages.
func TestVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v visits
		first, steps := map[int]int64{}, int64(0)
		for range rapid.IntRange(1, 3).Draw(t, "iterations") {
			counts, want, total := map[int]int64{}, int64(0), int64(0)
			for _, s := range rapid.SliceOf(rapid.IntRange(0, 5*pageStates)).Draw(t, "states") {
				if _, seen := first[s]; !seen {
					first[s] = steps
				}
				counts[s]++
				want++
				v.add(s, steps)
				steps++
			}
			got := v.endIteration()
			for _, c := range got {
				total += c
			}
			if len(got) != len(counts) || total != want {
				t.Fatalf("%d visits of %d states, want %d of %d", total, len(got), want, len(counts))
			}
		}
		if len(v.first) != len(first) {
			t.Fatalf("%d first visits, want %d", len(v.first), len(first))
		}
		for _, f := range v.first {
			if first[f.State] != f.Steps {
				t.Fatalf("state %d after %d steps, want %d", f.State, f.Steps, first[f.State])
			}
		}
	})
}
