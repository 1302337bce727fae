package diff

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A trace is what of an option's behaviour decides its similarity to others, in a list of states: all of
// them, or those that were visited. A state is named by its place in the list.
type trace struct {
	starts states
	greedy []states // by action, ⊥ last: where it is as good as what the policy does
	taken  []int8   // by state: the only such action, −1 being ⊥, or manyActions
	ends   []int32
	basins []basin // in order of their ends
	weight int64   // of all basins
	main   basin   // the heaviest
}

// manyActions stands for more than one action.
const manyActions = -2

// A basin holds the states in which an option can start and from which it ends in one and the same state.
type basin struct {
	end    int32
	states []int32
	weight int64
}

// trace returns the option's trace in all states.
func (b *behaviour) trace() *trace {
	t := &trace{starts: b.starts, greedy: b.greedy, ends: b.ends}
	t.fillTaken()
	t.addBasins(stateWeights{})
	return t
}

// traceIn returns the option's trace in the states of visits, in their order, with their weights.
func (b *behaviour) traceIn(visits []stateVisits, weights stateWeights) *trace {
	t := &trace{starts: newStates(len(visits)), ends: make([]int32, len(visits))}
	for range b.greedy {
		t.greedy = append(t.greedy, newStates(len(visits)))
	}
	for i, v := range visits {
		t.ends[i] = b.ends[v.State]
		if b.starts.has(v.State) {
			t.starts.add(i)
		}
		for a := range b.greedy {
			if b.greedy[a].has(v.State) {
				t.greedy[a].add(i)
			}
		}
	}
	t.fillTaken()
	t.addBasins(weights)
	return t
}

func (a *trace) fillTaken() {
	a.taken = make([]int8, len(a.ends))
	for i := range a.taken {
		n := 0
		for action, set := range a.greedy {
			if set.has(i) {
				a.taken[i], n = int8(action), n+1
			}
		}
		switch {
		case !a.starts.has(i):
			a.taken[i] = schema.Terminate
		case n > 1:
			a.taken[i] = manyActions
		}
	}
}

func (a *trace) addBasins(weights stateWeights) {
	var all []int32
	for i := range a.ends {
		if a.starts.has(i) {
			all = append(all, int32(i))
		}
	}
	slices.SortStableFunc(all, func(i, j int32) int { return cmp.Compare(a.ends[i], a.ends[j]) })
	for from := 0; from < len(all); {
		one, to := basin{end: a.ends[all[from]]}, from
		for ; to < len(all) && a.ends[all[to]] == one.end; to++ {
			one.weight += weights.at(int(all[to]))
		}
		one.states, a.weight = all[from:to], a.weight+one.weight
		if one.weight > a.main.weight {
			a.main = one
		}
		a.basins, from = append(a.basins, one), to
	}
}

// mayReach reports whether the similarity of two options can be at least limit, by the weights of their basins alone.
func (a *trace) mayReach(b *trace, limit float64) bool {
	least := limit * float64(max(a.weight, b.weight)) * (1 - shareRounding)
	if float64(min(a.weight, b.weight)) < least ||
		float64(a.weight-a.main.weight) < least && !b.endsIn(a.main.end) ||
		float64(b.weight-b.main.weight) < least && !a.endsIn(b.main.end) {
		return false
	}
	most := int64(0)
	for x, y := range a.commonBasins(b) {
		most += min(x.weight, y.weight)
	}
	return float64(most) >= least
}

// endsIn reports whether the option has a basin of that end.
func (a *trace) endsIn(end int32) bool {
	_, found := slices.BinarySearchFunc(a.basins, end, func(x basin, end int32) int { return cmp.Compare(x.end, end) })
	return found
}

// shareRounding is what a comparison of two shares with the same value may differ by.
const shareRounding = 1e-12

// commonBasins yields the basins of two options that have the same end.
func (a *trace) commonBasins(b *trace) iter.Seq2[basin, basin] {
	return func(yield func(x, y basin) bool) {
		for i, j := 0, 0; i < len(a.basins) && j < len(b.basins); {
			switch x, y := a.basins[i], b.basins[j]; {
			case x.end < y.end:
				i++
			case x.end > y.end:
				j++
			default:
				if !yield(x, y) {
					return
				}
				i, j = i+1, j+1
			}
		}
	}
}

// common returns the weight of the states in which at least one of two options can start, and that of those in
// which they do the same: both can start, some action is as good in both as what each of them does, and both end
// in the same state, or never.
func (a *trace) common(b *trace, weights stateWeights) (same, all int64) {
	for block := range a.starts {
		all += weights.of(block, a.starts[block]|b.starts[block])
	}
	for x, y := range a.commonBasins(b) {
		if len(x.states) > len(y.states) {
			x = y
		}
		for _, s := range x.states {
			if a.ends[s] == b.ends[s] && a.doesAs(b, s) {
				same += weights.at(int(s))
			}
		}
	}
	return same, all
}

// doesAs reports whether both options can start in a state, and some action is as good in both as what each does.
func (a *trace) doesAs(b *trace, state int32) bool {
	if x, y := a.taken[state], b.taken[state]; x != manyActions && y != manyActions {
		return x == y && x != schema.Terminate
	}
	for action := range a.greedy {
		if a.greedy[action].has(int(state)) && b.greedy[action].has(int(state)) {
			return a.starts.has(int(state)) && b.starts.has(int(state))
		}
	}
	return false
}

// stateWeights are the weights of the states of traces. The zero value has 1 for each.
type stateWeights struct {
	weights []int64
	blocks  []int64 // sums over 64 states
	total   int64
}

func newStateWeights(visits []stateVisits) stateWeights {
	w := stateWeights{weights: make([]int64, len(visits)), blocks: make([]int64, (len(visits)+63)/64)}
	for i, v := range visits {
		w.weights[i] = v.Steps
		w.blocks[i/64] += v.Steps
		w.total += v.Steps
	}
	return w
}

func (w stateWeights) at(i int) int64 {
	if w.weights == nil {
		return 1
	}
	return w.weights[i]
}

// of returns the sum over a set of states of one block. It adds up what is left out if that is less.
func (w stateWeights) of(block int, set uint64) (sum int64) {
	if w.weights == nil {
		return int64(bits.OnesCount64(set))
	}
	first := 64 * block
	if bits.OnesCount64(set) <= 32 {
		for ; set != 0; set &= set - 1 {
			sum += w.weights[first+bits.TrailingZeros64(set)]
		}
		return sum
	}
	sum = w.blocks[block]
	for left := ^set; left != 0; left &= left - 1 {
		i := first + bits.TrailingZeros64(left)
		if i >= len(w.weights) {
			break
		}
		sum -= w.weights[i]
	}
	return sum
}

// isNowhere reports whether the option can start in no state.
func (b *behaviour) isNowhere() bool {
	return !slices.ContainsFunc(b.starts, func(block uint64) bool { return block != 0 })
}

// similarityOverStates returns the similarity of two options with every state weighing the same.
func similarityOverStates(a, b *behaviour) float64 {
	return shareOf(a.trace().common(b.trace(), stateWeights{}))
}

func shareOf(part, whole int64) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// stateVisits is a state and the number of steps that began in it.
type stateVisits struct {
	State int
	Steps int64
}

// optionSimilarity returns the similarity of two options: of the steps that began where either can start, the share of
// those from which both do the same. Where no step began there, it is the share of states; two options that can
// start nowhere are the same.
func optionSimilarity(a, b *behaviour, visits []stateVisits) float64 {
	weights := newStateWeights(visits)
	same, all := a.traceIn(visits, weights).common(b.traceIn(visits, weights), weights)
	if all > 0 {
		return shareOf(same, all)
	}
	return similarityOverStates(a, b)
}
