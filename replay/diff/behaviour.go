package diff

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
)

// behaviour describes what an option does, as sets of states. It is computed once from the
// option's records and may be shared by comparisons.
type behaviour struct {
	policy []int8
	value  schema.Value
	starts states   // I; a block is 64 states
	acts   []states // by action: where the policy takes it
	greedy []states // by action, ⊥ last: where it is as good as what the policy does
	ends   []int32  // where the option ends from each state, [envs.Never] where it never does
}

// newBehaviour returns the behaviour of an option with values v and q, states by actions.
func newBehaviour(env envs.ModelEnv, o *schema.Option, v schema.Value, q []float64) *behaviour {
	m := env.Model()
	b := &behaviour{policy: o.Policy, value: v, starts: newStates(m.States)}
	_, b.ends = learn.FollowPolicy(m, o.Policy)
	for range m.Actions {
		b.acts, b.greedy = append(b.acts, newStates(m.States)), append(b.greedy, newStates(m.States))
	}
	b.greedy = append(b.greedy, newStates(m.States))
	for s, a := range o.Policy {
		if a != schema.Terminate {
			b.starts.add(s)
			b.acts[a].add(s)
		}
	}
	b.fillGreedy(q, m.Actions, o.Certificate.Tolerance)
	return b
}

// fillGreedy fills greedy from q, S×A: with all actions within the tolerance of the best if the
// policy takes one of them. Otherwise, also for ⊥, no other action equals the policy's: a policy
// that does not follow from q differs from one that does.
func (b *behaviour) fillGreedy(q []float64, actions int, tolerance float64) {
	for s, taken := range b.policy {
		row := q[s*actions : (s+1)*actions]
		best := slices.Max(row)
		if taken == schema.Terminate {
			b.greedy[actions].add(s)
			continue
		}
		if !(best > tolerance && row[taken] >= best-tolerance) {
			b.greedy[taken].add(s)
			continue
		}
		for a, x := range row {
			if x >= best-tolerance {
				b.greedy[a].add(s)
			}
		}
	}
}

// states is a set of states, one bit each.
type states []uint64

func newStates(n int) states { return make(states, (n+63)/64) }

func (s states) add(state int)      { s[state/64] |= 1 << (state % 64) }
func (s states) has(state int) bool { return s[state/64]>>(state%64)&1 == 1 }
