package behaviours

import (
	"cmp"
	"slices"
)

// A TraceIndex lists what the options of a set do, by state. Comparing two sets then takes time only for states in
// which two options do the same, not for every state of every pair of options.
type TraceIndex struct {
	of      []*Trace
	weights StateWeights
	states  []stateIndex
}

// NewTraceIndex returns the index of options by their traces over that many states.
func NewTraceIndex(of []*Trace, weights StateWeights, states int) *TraceIndex {
	x := &TraceIndex{of: of, weights: weights, states: make([]stateIndex, states)}
	for s := range x.states {
		x.states[s] = x.indexState(s)
	}
	return x
}

// stateIndex lists what options do in one state. Options are identified by their position in the index.
type stateIndex struct {
	acts   []act   // distinct, in ascending order
	first  []int32 // by act: start of its options, followed by the end of the last one's
	starts []int32 // options that act there, by act
	others []int32 // those that cannot
}

// act is what an option does in a state in which it acts: where it ends, and the action that it takes.
type act uint64

func newAct(end int32, taken int8) act {
	return act(uint64(uint32(end))<<8 | uint64(uint8(taken-manyActions)))
}

// end returns a number of the state in which the option ends.
func (a act) end() uint64 { return uint64(a >> 8) }

// isTied reports whether several actions are equally good.
func (a act) isTied() bool { return uint8(a) == 0 }

func (t *TraceIndex) indexState(s int) (at stateIndex) {
	acts := make([]act, len(t.of))
	for i, trace := range t.of {
		if !trace.inside.Has(s) {
			at.others = append(at.others, int32(i))
			continue
		}
		acts[i], at.starts = newAct(trace.ends[s], trace.taken[s]), append(at.starts, int32(i))
	}
	slices.SortFunc(at.starts, func(i, j int32) int { return cmp.Or(cmp.Compare(acts[i], acts[j]), cmp.Compare(i, j)) })
	for n, i := range at.starts {
		if n == 0 || acts[i] != at.acts[len(at.acts)-1] {
			at.acts, at.first = append(at.acts, acts[i]), append(at.first, int32(n))
		}
	}
	at.first = append(at.first, int32(len(at.starts)))
	return at
}

// startsOf returns the options of an act.
func (s *stateIndex) startsOf(act int) []int32 { return s.starts[s.first[act]:s.first[act+1]] }

// Common returns what each option of one index has in common with each one of another over the same states, like
// [Trace.Common].
func (t *TraceIndex) Common(u *TraceIndex) (same, either [][]int64) {
	same, either = newTable(len(t.of), len(u.of)), t.either(u)
	for s := range t.states {
		t.addSame(same, u, s)
	}
	return same, either
}

func newTable(rows, columns int) [][]int64 {
	all, table := make([]int64, rows*columns), make([][]int64, rows)
	for i := range table {
		table[i] = all[i*columns : (i+1)*columns]
	}
	return table
}

// either returns the weights of the states in which at least one of two options acts. It subtracts either those in
// which neither can from all, or those in which both can from the sum of the two, whichever are fewer.
func (t *TraceIndex) either(u *TraceIndex) [][]int64 {
	both, neither := 0, 0
	for s := range t.states {
		both += len(t.states[s].starts) * len(u.states[s].starts)
		neither += len(t.states[s].others) * len(u.states[s].others)
	}
	either := newTable(len(t.of), len(u.of))
	for i, row := range either {
		for j := range row {
			if row[j] = t.weights.total; both < neither {
				row[j] = t.of[i].Weight + u.of[j].Weight
			}
		}
	}
	for s := range t.states {
		if both < neither {
			addTo(either, t.states[s].starts, u.states[s].starts, -t.weights.at(s))
		} else {
			addTo(either, t.states[s].others, u.states[s].others, -t.weights.at(s))
		}
	}
	return either
}

// addTo adds a weight to each pair of a row and a column.
func addTo(table [][]int64, rows, columns []int32, weight int64) {
	for _, i := range rows {
		row := table[i]
		for _, j := range columns {
			row[j] += weight
		}
	}
}

// addSame adds the weight of a state to each pair of options that do the same there.
func (t *TraceIndex) addSame(same [][]int64, u *TraceIndex, s int) {
	a, b := &t.states[s], &u.states[s]
	for i, from := 0, 0; i < len(a.acts); i++ {
		for from < len(b.acts) && b.acts[from].end() < a.acts[i].end() {
			from++
		}
		for j := from; j < len(b.acts) && b.acts[j].end() == a.acts[i].end(); j++ {
			switch {
			case a.acts[i].isTied() || b.acts[j].isTied():
				t.addTied(same, a.startsOf(i), u, b.startsOf(j), s)
			case a.acts[i] == b.acts[j]:
				addTo(same, a.startsOf(i), b.startsOf(j), t.weights.at(s))
			}
		}
	}
}

// addTied adds the weight of a state to each pair of options that do the same there, where some have several equally
// good actions.
func (t *TraceIndex) addTied(same [][]int64, starts []int32, u *TraceIndex, others []int32, s int) {
	for _, i := range starts {
		for _, j := range others {
			if t.of[i].doesAs(u.of[j], int32(s)) {
				same[i][j] += t.weights.at(s)
			}
		}
	}
}
