package envs_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
)

// TestVisitedSet compares with a map, also of states beyond those that were known.
func TestVisitedSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, seen := envs.NewVisitedSet(rapid.IntRange(0, 200).Draw(t, "states")), map[int]bool{}
		for _, s := range rapid.SliceOf(rapid.IntRange(0, 500)).Draw(t, "visits") {
			if set.Add(s) == seen[s] {
				t.Fatalf("state %d was new: %v", s, !seen[s])
			}
			seen[s] = true
		}
		for s := range 600 {
			if set.Has(s) != seen[s] {
				t.Fatalf("state %d is in the set: %v", s, set.Has(s))
			}
		}
		if set.Len() != int64(len(seen)) {
			t.Fatalf("%d states, want %d", set.Len(), len(seen))
		}
	})
}

// TestCountReachable compares with a search over the branches of the model.
func TestCountReachable(t *testing.T) {
	for name, env := range everyEnv(t) {
		episodic, _ := envs.As[envs.Episodic](env)
		for _, from := range []int{0, env.States() - 1} {
			seen := map[int]bool{from: true}
			queue := []int{from}
			if episodic != nil {
				for _, s := range episodic.StartStates() {
					if !seen[s] {
						seen[s] = true
						queue = append(queue, s)
					}
				}
			}
			for ; len(queue) > 0; queue = queue[1:] {
				if episodic != nil && episodic.IsTerminal(queue[0]) {
					continue
				}
				for a := range env.Actions() {
					env.Model().VisitSuccessors(queue[0], a, func(n envs.Successor) {
						if next := int(n.Next); !seen[next] {
							seen[next] = true
							queue = append(queue, next)
						}
					})
				}
			}
			if n, known := envs.CountReachable(env, from); !known || n != int64(len(seen)) {
				t.Errorf("%s: %d states can be reached from %d, want %d", name, n, from, len(seen))
			}
		}
	}
}
