package envs_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestObservedStatesAreAMap: states are numbered as a map does it, also after some were removed.
func TestObservedStatesAreAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env, err := envs.NewEnv(schema.Env{Name: "numbers", Params: map[string]int64{}, External: &schema.External{
			Version: "1", Actions: []string{"a"}, Observes: schema.Discrete, Size: 4096}})
		if err != nil {
			t.Fatal(err)
		}
		seen, want, order := env.(envs.GrowingEnv).Observed(), map[int]int{}, []int(nil)
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 1, 400).Draw(t, "numbers") {
				if _, known := want[n]; !known {
					want[n] = len(order)
					order = append(order, n)
				}
				s, err := seen.Intern([]byte{byte(n), byte(n >> 8), 0, 0})
				if err != nil || s != want[n] || seen.States() != len(order) {
					t.Fatalf("%d is state %d of %d, %v, want %d of %d", n, s, seen.States(), err, want[n], len(order))
				}
			}
			kept := rapid.IntRange(0, len(order)).Draw(t, "kept")
			for _, n := range order[kept:] {
				delete(want, n)
			}
			order = order[:kept]
			seen.Truncate(kept)
			if got := fmt.Sprint(seen.States()); got != fmt.Sprint(kept) {
				t.Fatalf("%s states, want %d", got, kept)
			}
		}
	})
}
