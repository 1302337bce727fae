package behaviours

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// Numbering renumbers the states of one run as other runs number them, too. The zero value changes
// nothing.
type Numbering struct {
	Indices []int32 // of states, nil where each is its own
	States  int     // of all runs
}

func (al Numbering) Index(s int) int {
	if al.Indices == nil {
		return s
	}
	return int(al.Indices[s])
}

// Renumber returns b in the common numbering. In states that only the other run observed it does
// nothing.
func (al Numbering) Renumber(b *Behaviour) *Behaviour {
	if al.States == 0 {
		return b
	}
	out := &Behaviour{
		Policy: make([]int8, al.States), Value: make(schema.Value, al.States), Starts: newStates(al.States),
		Ends: make([]int32, al.States),
	}
	for range b.Acts {
		out.Acts = append(out.Acts, newStates(al.States))
	}
	for range b.Greedy {
		out.Greedy = append(out.Greedy, newStates(al.States))
	}
	for s := range out.Policy {
		out.Policy[s], out.Ends[s] = schema.Terminate, int32(s)
	}
	for s := range b.Policy {
		al.copyState(out, b, s)
	}
	for s := range out.Policy {
		if !out.Starts.Has(s) {
			out.Greedy[len(out.Acts)].add(s)
		}
	}
	return out
}

// copyState copies what b does in state s.
func (al Numbering) copyState(out, b *Behaviour, s int) {
	at := al.Index(s)
	out.Policy[at], out.Value[at], out.Ends[at] = b.Policy[s], b.Value[s], envs.Never
	if b.Ends[s] != envs.Never {
		out.Ends[at] = int32(al.Index(int(b.Ends[s])))
	}
	if b.Starts.Has(s) {
		out.Starts.add(at)
	}
	for a := range b.Acts {
		if b.Acts[a].Has(s) {
			out.Acts[a].add(at)
		}
	}
	for a := range b.Greedy {
		if b.Greedy[a].Has(s) {
			out.Greedy[a].add(at)
		}
	}
}
