package envs_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// lineEnv returns an observed environment with two actions.
func lineEnv(t testing.TB) envs.Env {
	env, err := envs.NewEnv(schema.Env{Name: "line", Params: map[string]int64{}, External: &schema.External{
		Version: "1", Actions: []string{"left", "right"}, Observes: schema.Discrete, Size: 4096}})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// TestCountTransitions counts the transitions of chunks, and merges the counts, as a map does it.
func TestCountTransitions(t *testing.T) {
	env := lineEnv(t)
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.Uint32Range(0, rapid.Uint32Range(0, 300).Draw(t, "most"))
		merged, all := envs.TransitionCounts{}, map[envs.Transition]int64{}
		for range rapid.IntRange(1, 3).Draw(t, "chunks") {
			c := schema.Transitions{Arity: 2}
			c.Actions = rapid.SliceOfN(rapid.Uint8Range(0, 1), 1, 400).Draw(t, "actions")
			c.Next = rapid.SliceOfN(state, len(c.Actions), len(c.Actions)).Draw(t, "next")
			at, one := int32(c.Start), map[envs.Transition]int64{}
			for i, a := range c.Actions {
				m := envs.Transition{State: at, Action: a, Next: int32(c.Next[i])}
				if at = m.Next; rapid.IntRange(0, 9).Draw(t, "end") == 0 {
					at, m.Terminal = int32(state.Draw(t, "start")), rapid.Bool().Draw(t, "terminated")
					c.Episodes = append(c.Episodes, schema.Episode{
						Step: uint64(i + 1), State: uint64(at), Terminated: m.Terminal})
				}
				one[m]++
				all[m]++
			}
			counts := envs.CountTransitions(env, &c)
			if diff := cmp.Diff(sorted(one), counts); diff != "" {
				t.Fatal(diff)
			}
			merged = merged.Merge(counts)
		}
		if diff := cmp.Diff(sorted(all), merged); diff != "" {
			t.Fatal(diff)
		}
	})
}

// sorted returns counts in their order.
func sorted(counts map[envs.Transition]int64) (list envs.TransitionCounts) {
	for m, n := range counts {
		list = append(list, envs.CountedTransition{Transition: m, Count: n})
	}
	slices.SortFunc(list, envs.CompareTransitions)
	return list
}
