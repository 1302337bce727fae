package group

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestGrid: the steps ascend from 0 to the total, about equally far from each other.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, parts := rapid.Int64Range(0, 1<<50).Draw(t, "total"), rapid.IntRange(1, 300).Draw(t, "parts")
		steps := grid(total, parts)
		if steps[0] != 0 || steps[len(steps)-1] != total || int64(len(steps)) != min(total, int64(parts))+1 {
			t.Fatalf("%d steps from %d to %d", len(steps), steps[0], steps[len(steps)-1])
		}
		for i, step := range steps[1:] {
			if apart := step - steps[i]; apart < 1 || apart < total/int64(parts) || apart > total/int64(parts)+int64(parts) {
				t.Fatalf("step %d follows %d", step, steps[i])
			}
		}
	})
}

// TestSampler looks up each step among all points.
func TestSampler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 60).Draw(t, "total")
		s := sampler{steps: grid(rapid.Int64Range(1, 80).Draw(t, "longest"), rapid.IntRange(1, 9).Draw(t, "parts"))}
		at := append([]int64{0}, rapid.SliceOf(rapid.Int64Range(0, total)).Draw(t, "steps")...)
		slices.Sort(at)
		for i, step := range at {
			s.add(step, float64(i))
		}
		s.finish(total)
		var want []float64
		for _, step := range s.steps {
			if step <= total {
				last := 0
				for i := range at {
					if at[i] <= step {
						last = i
					}
				}
				want = append(want, float64(last))
			}
		}
		if !slices.Equal(s.values, want) {
			t.Fatalf("%v at %v of %v, want %v", s.values, s.steps, at, want)
		}
	})
}
