package behaviours

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

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
	out := &Behaviour{
		Policy: make([]int8, n.States), Value: make(schema.Value, n.States), Inside: newStates(n.States),
		Starts: newStates(n.States), Ends: make([]int32, n.States),
	}
	for range b.Acts {
		out.Acts = append(out.Acts, newStates(n.States))
	}
	for range b.Greedy {
		out.Greedy = append(out.Greedy, newStates(n.States))
	}
	for s := range out.Policy {
		out.Policy[s], out.Ends[s] = schema.Terminate, int32(s)
	}
	for s := range b.Policy {
		n.copyState(out, b, s)
	}
	for s := range out.Policy {
		if !out.Inside.Has(s) {
			out.Greedy[len(out.Acts)].add(s)
		}
	}
	return out
}

// copyState copies what b does in state s.
func (n Numbering) copyState(out, b *Behaviour, s int) {
	at := n.Index(s)
	out.Policy[at], out.Value[at], out.Ends[at] = b.Policy[s], b.Value[s], envs.Never
	if b.Ends[s] != envs.Never {
		out.Ends[at] = int32(n.Index(int(b.Ends[s])))
	}
	if b.Inside.Has(s) {
		out.Inside.add(at)
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
