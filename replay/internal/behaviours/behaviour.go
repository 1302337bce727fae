package behaviours

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
)

// Behaviour describes what an option does, as sets of states. It is computed once from the
// option's records and may be shared by comparisons.
type Behaviour struct {
	Policy []int8
	Value  schema.Value
	Inside states   // the complement of T; a block is 64 states
	Starts states   // I
	Acts   []states // by action: where the policy takes it
	Greedy []states // by action, ⊥ last: where it is as good as the policy's action
	Ends   []int32  // where the option ends from each state, [envs.Never] where it never does
}

// New returns the behaviour of an option with values v and q, states by actions.
func New(env envs.ModelEnv, o *schema.Option, v schema.Value, q []float64) *Behaviour {
	m := env.Model()
	b := &Behaviour{Policy: o.Policy, Value: v, Inside: newStates(m.States)}
	_, b.Ends = learn.FollowPolicy(m, o.Policy)
	for range m.Actions {
		b.Acts, b.Greedy = append(b.Acts, newStates(m.States)), append(b.Greedy, newStates(m.States))
	}
	b.Greedy = append(b.Greedy, newStates(m.States))
	for s, a := range o.Policy {
		if a != schema.Terminate {
			b.Inside.add(s)
			b.Acts[a].add(s)
		}
	}
	b.Starts = b.Inside
	if start := o.Purpose.Start; start != nil {
		b.Starts = newStates(m.States)
		if b.Inside.Has(*start) {
			b.Starts.add(*start)
		}
	}
	b.fillGreedy(q, m.Actions, o.Certificate.Tolerance)
	return b
}

// fillGreedy fills greedy from q, S×A: with all actions within the tolerance of the best if the
// policy takes one of them. Otherwise, also for ⊥, no other action equals the policy's: a policy
// that does not follow from q differs from one that does.
func (b *Behaviour) fillGreedy(q []float64, actions int, tolerance float64) {
	for s, taken := range b.Policy {
		row := q[s*actions : (s+1)*actions]
		best := slices.Max(row)
		if taken == schema.Terminate {
			b.Greedy[actions].add(s)
			continue
		}
		if !(best > tolerance && row[taken] >= best-tolerance) {
			b.Greedy[taken].add(s)
			continue
		}
		for a, x := range row {
			if x >= best-tolerance {
				b.Greedy[a].add(s)
			}
		}
	}
}

// sets returns all sets of states of b.
func (b *Behaviour) sets() []*states {
	sets := []*states{&b.Inside, &b.Starts}
	for i := range b.Acts {
		sets = append(sets, &b.Acts[i])
	}
	for i := range b.Greedy {
		sets = append(sets, &b.Greedy[i])
	}
	return sets
}

// states is a set of states, one bit each.
type states []uint64

func newStates(n int) states { return make(states, (n+63)/64) }

func (s states) add(state int)      { s[state/64] |= 1 << (state % 64) }
func (s states) Has(state int) bool { return s[state/64]>>(state%64)&1 == 1 }

// A Numbering maps the states of one run to numbers that it shares with other runs. The zero value is the identity.
type Numbering struct {
	Indices []int32 // by state; nil for the identity
	States  int     // of all runs
}

func (n Numbering) Index(s int) int {
	if n.Indices == nil {
		return s
	}
	return int(n.Indices[s])
}

// Renumber returns b in the common numbering. In states that only other runs observed, the result does not act.
func (n Numbering) Renumber(b *Behaviour) *Behaviour {
	if n.States == 0 {
		return b
	}
	out := &Behaviour{Policy: make([]int8, n.States), Value: make(schema.Value, n.States), Ends: make([]int32, n.States),
		Acts: make([]states, len(b.Acts)), Greedy: make([]states, len(b.Greedy))}
	from, to := b.sets(), out.sets()
	for _, set := range to {
		*set = newStates(n.States)
	}
	for s := range out.Policy {
		out.Policy[s], out.Ends[s] = schema.Terminate, int32(s)
	}
	for s := range b.Policy {
		at := n.Index(s)
		out.Policy[at], out.Value[at], out.Ends[at] = b.Policy[s], b.Value[s], envs.Never
		if b.Ends[s] != envs.Never {
			out.Ends[at] = int32(n.Index(int(b.Ends[s])))
		}
		for i, set := range from {
			if set.Has(s) {
				to[i].add(at)
			}
		}
	}
	for s := range out.Policy {
		if !out.Inside.Has(s) {
			out.Greedy[len(out.Acts)].add(s)
		}
	}
	return out
}
