package collect

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestStarts compares what is remembered with looking at each option, while options join and leave, others are left
// out, and states are discovered.
func TestStarts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := 3
		option := func() *schema.Option {
			return &schema.Option{Policy: rapid.SliceOfN(rapid.SampledFrom([]int8{0, schema.Terminate}), states, states).Draw(t, "policy")}
		}
		set := OptionSet{Starts: new(Starts)}
		for range rapid.IntRange(1, 30).Draw(t, "iterations") {
			for range rapid.IntRange(0, 90).Draw(t, "joining") {
				set.Options = append(set.Options, option())
			}
			gone := rapid.IntRange(0, len(set.Options)).Draw(t, "leaving")
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				set.First, set.Options = set.First+gone, set.Options[gone:]
			case 1: // another set, of which nothing is known
				set.First, set.Options = rapid.IntRange(0, 200).Draw(t, "first"), nil
				*set.Starts = Starts{}
			case 2:
				set.LeaveOut = rapid.SliceOfN(rapid.Uint64Range(0, 200), 0, 3).Draw(t, "left out")
			case 3: // a state is discovered, and policies are extended to it
				states++
				for _, o := range set.Options {
					o.Policy = append(o.Policy, rapid.SampledFrom([]int8{0, schema.Terminate}).Draw(t, "extended"))
				}
			}
			for range 4 {
				state := rapid.IntRange(0, states-1).Draw(t, "state")
				scanned := set
				scanned.Starts = nil
				count := scanned.countAt(state)
				if got := set.countAt(state); got != count {
					t.Fatalf("%d options can start in state %d, want %d", got, state, count)
				}
				for n := range count {
					if got, want := set.nthAt(state, n), scanned.nthAt(state, n); got != want {
						t.Fatalf("option %d in state %d has number %d, want %d", n, state, got, want)
					}
				}
			}
		}
	})
}
