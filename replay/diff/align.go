package diff

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// numbering renumbers the states of one run as other runs number them, too. The zero value changes
// nothing.
type numbering struct {
	indices []int32 // of states, nil where each is its own
	states  int     // of all runs
}

func (al numbering) index(s int) int {
	if al.indices == nil {
		return s
	}
	return int(al.indices[s])
}

// renumber returns b in the common numbering. In states that only the other run observed it does
// nothing.
func (al numbering) renumber(b *behaviour) *behaviour {
	if al.states == 0 {
		return b
	}
	out := &behaviour{
		policy: make([]int8, al.states), value: make(schema.Value, al.states), starts: newStates(al.states),
		ends: make([]int32, al.states),
	}
	for range b.acts {
		out.acts = append(out.acts, newStates(al.states))
	}
	for range b.greedy {
		out.greedy = append(out.greedy, newStates(al.states))
	}
	for s := range out.policy {
		out.policy[s], out.ends[s] = schema.Terminate, int32(s)
	}
	for s := range b.policy {
		al.copyState(out, b, s)
	}
	for s := range out.policy {
		if !out.starts.has(s) {
			out.greedy[len(out.acts)].add(s)
		}
	}
	return out
}

// copyState copies what b does in state s.
func (al numbering) copyState(out, b *behaviour, s int) {
	at := al.index(s)
	out.policy[at], out.value[at], out.ends[at] = b.policy[s], b.value[s], envs.Never
	if b.ends[s] != envs.Never {
		out.ends[at] = int32(al.index(int(b.ends[s])))
	}
	if b.starts.has(s) {
		out.starts.add(at)
	}
	for a := range b.acts {
		if b.acts[a].has(s) {
			out.acts[a].add(at)
		}
	}
	for a := range b.greedy {
		if b.greedy[a].has(s) {
			out.greedy[a].add(at)
		}
	}
}
