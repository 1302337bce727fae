package behaviours

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A traceIndex lists what many options do, by state. Comparing another option with all of them then takes time only for
// states in which two do the same, not for every state of every option.
type traceIndex struct {
	of      []*Trace
	weights StateWeights
	states  []stateIndex
}

// NewTraceIndex returns the index of options by their traces over that many states.
func NewTraceIndex(of []*Trace, weights StateWeights, states int) *traceIndex {
	x := &traceIndex{of: of, weights: weights, states: make([]stateIndex, states)}
	for s := range x.states {
		x.states[s] = x.indexState(s)
	}
	return x
}

// stateIndex lists what options do in one state. Options are identified by their position in the index.
type stateIndex struct {
	acts    []act   // distinct, in ascending order
	first   []int32 // by act: start of its options, followed by the end of the last one's
	options []int32 // options that can start there, by act
	most    bool    // most can start there
	others  []int32 // those that cannot
}

// act is what an option does in a state in which it can start: where it ends, and the action that it takes.
type act uint64

func newAct(end int32, taken int8) act {
	return act(uint64(uint32(end))<<8 | uint64(uint8(taken-manyActions)))
}

// sameEnd reports whether both end in the same state.
func (a act) sameEnd(b act) bool { return a>>8 == b>>8 }

func (t *traceIndex) indexState(s int) (at stateIndex) {
	acts := make([]act, len(t.of))
	for i, trace := range t.of {
		if !trace.starts.Has(s) {
			at.others = append(at.others, int32(i))
			continue
		}
		acts[i], at.options = newAct(trace.ends[s], trace.taken[s]), append(at.options, int32(i))
	}
	at.most = len(at.others) < len(at.options)
	slices.SortFunc(at.options, func(i, j int32) int { return cmp.Or(cmp.Compare(acts[i], acts[j]), cmp.Compare(i, j)) })
	for n, i := range at.options {
		if n == 0 || acts[i] != at.acts[len(at.acts)-1] {
			at.acts, at.first = append(at.acts, acts[i]), append(at.first, int32(n))
		}
	}
	at.first = append(at.first, int32(len(at.options)))
	return at
}

// Common returns what an option has in common with each one of the index, like [Trace.common].
func (t *traceIndex) Common(option *Trace) (same, either []int64) {
	same, either = make([]int64, len(t.of)), make([]int64, len(t.of))
	mostly := int64(0) // weight of the states in which the option and most others can start
	for s := range t.states {
		if !option.starts.Has(s) {
			continue
		}
		at, weight := &t.states[s], t.weights.at(s)
		if at.most {
			mostly += weight
			for _, i := range at.others {
				either[i] += weight
			}
		} else {
			for _, i := range at.options {
				either[i] -= weight
			}
		}
		t.addSame(same, option, s)
	}
	for i, trace := range t.of {
		either[i] += option.Weight + trace.Weight - mostly
	}
	return same, either
}

// addSame adds the weight of a state in which the option can start to the options that do the same there.
func (t *traceIndex) addSame(same []int64, option *Trace, s int) {
	at, weight := &t.states[s], t.weights.at(s)
	taken, own, ties := option.taken[s], newAct(option.ends[s], option.taken[s]), newAct(option.ends[s], manyActions)
	if taken == schema.Terminate {
		return
	}
	from, _ := slices.BinarySearch(at.acts, ties)
	for n := from; n < len(at.acts) && at.acts[n].sameEnd(own); n++ {
		switch a := at.acts[n]; {
		case a == ties || own == ties:
			for _, i := range at.options[at.first[n]:at.first[n+1]] {
				if option.doesAs(t.of[i], int32(s)) {
					same[i] += weight
				}
			}
		case a == own:
			for _, i := range at.options[at.first[n]:at.first[n+1]] {
				same[i] += weight
			}
		}
	}
}
