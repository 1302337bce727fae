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
		states, action := 3, rapid.SampledFrom([]int8{0, schema.Terminate})
		option := func() *schema.Option {
			return &schema.Option{Policy: rapid.SliceOfN(action, states, states).Draw(t, "policy")}
		}
		var set OptionSet
		var starts Starts
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
				starts = Starts{}
			case 2:
				set.LeaveOut = rapid.SliceOfN(rapid.Uint64Range(0, 200), 0, 3).Draw(t, "left out")
			case 3: // a state is discovered, and policies are extended to it
				states++
				for _, o := range set.Options {
					o.Policy = append(o.Policy, action.Draw(t, "extended"))
				}
			}
			for range 4 {
				state := rapid.IntRange(0, states-1).Draw(t, "state")
				count := set.countAt(state)
				if got := starts.at(set, state).count; got != count {
					t.Fatalf("%d options can start in state %d, want %d", got, state, count)
				}
				for n := range count {
					if got, want := starts.at(set, state).nth(n), set.nthAt(state, n); got != want {
						t.Fatalf("option %d in state %d has number %d, want %d", n, state, got, want)
					}
				}
			}
		}
	})
}
