package diff

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// alignment numbers states as another run does. The zero value changes nothing.
type alignment struct {
	places []int32 // of states, nil where each is its own
	states int     // of both runs
}

// align gives two runs one numbering of states where those are observations, which
// each run numbers in the order in which it saw them: that of a, and behind it what b
// alone saw.
func align(a, b *Run) {
	x, ofA := a.env.(*pod.External)
	y, ofB := b.env.(*pod.External)
	if ofA && ofB {
		places, states := y.AlignStates(x)
		a.aligned, b.aligned = alignment{states: states}, alignment{places, states}
	}
}

func (al alignment) of(s int) int {
	if al.places == nil {
		return s
	}
	return int(al.places[s])
}

// behaviour is b in that numbering. In states that only the other run saw it does
// nothing.
func (al alignment) behaviour(b *Behaviour) *Behaviour {
	if al.states == 0 {
		return b
	}
	out := &Behaviour{policy: make([]int8, al.states), value: make(schema.Value, al.states), starts: newStates(al.states), ends: make([]int32, al.states)}
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
		al.place(out, b, s)
	}
	for s := range out.policy {
		if !out.starts.has(s) {
			out.greedy[len(out.acts)].add(s)
		}
	}
	return out
}

// place copies what b does in state s.
func (al alignment) place(out, b *Behaviour, s int) {
	at := al.of(s)
	out.policy[at], out.value[at], out.ends[at] = b.policy[s], b.value[s], pod.Never
	if b.ends[s] != pod.Never {
		out.ends[at] = int32(al.of(int(b.ends[s])))
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
