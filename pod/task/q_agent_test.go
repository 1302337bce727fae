package task

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBestChoices: whatever values are set in whatever order, the best choices are those that a comparison of all
// available ones finds.
func TestBestChoices(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := corridor(t, Training{Algorithm: SMDP})
		for range rapid.IntRange(1, 30).Draw(r, "changes") {
			s := rapid.IntRange(0, 4).Draw(r, "state")
			choice, value := rapid.IntRange(0, 4).Draw(r, "choice"), rapid.IntRange(-2, 2).Draw(r, "value")
			l.setValue(s, choice, float64(value))
			s = rapid.IntRange(0, 4).Draw(r, "asked")
			best, want := 0.0, []int32(nil)
			for choice, value := range l.choiceValues(s) {
				switch {
				case !l.isAvailable(choice, s) || len(want) > 0 && value < best:
				case len(want) > 0 && value == best:
					want = append(want, int32(choice))
				default:
					best, want = value, []int32{int32(choice)}
				}
			}
			if got := l.bestIn(s); got.value != best || !slices.Equal(got.list, want) {
				r.Fatalf("state %d: %v of %v, want %v of %v", s, got.list, got.value, want, best)
			}
		}
	})
}
