package behaviours

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Trace is the part of an option's behaviour that decides its similarity to others, over a list of states: all of
// them, or the visited ones. A state is identified by its index in the list.
type Trace struct {
	inside states   // the complement of T
	greedy []states // by action, ⊥ last: where it is as good as the policy's action
	taken  []int8   // by state: the only such action, −1 being ⊥, or manyActions
	ends   []int32
	basins []basin // in order of their ends
	Weight int64   // of all basins
	main   basin   // the heaviest
}

// manyActions stands for more than one action.
const manyActions = -2

// A basin holds the states in which an option acts and from which it ends in the same state.
type basin struct {
	end    int32
	states []int32
	weight int64
}

// trace returns the option's trace in all states.
func (b *Behaviour) trace() *Trace {
	t := &Trace{inside: b.Inside, greedy: b.Greedy, ends: b.Ends}
	t.fillTaken()
	t.addBasins(StateWeights{})
	return t
}

// TraceIn returns the option's trace in the states of visits, in their order, with their weights.
func (b *Behaviour) TraceIn(visits []StateVisits, weights StateWeights) *Trace {
	t := &Trace{inside: newStates(len(visits)), ends: make([]int32, len(visits))}
	for range b.Greedy {
		t.greedy = append(t.greedy, newStates(len(visits)))
	}
	for i, v := range visits {
		t.ends[i] = b.Ends[v.State]
		if b.Inside.Has(v.State) {
			t.inside.add(i)
		}
		for a := range b.Greedy {
			if b.Greedy[a].Has(v.State) {
				t.greedy[a].add(i)
			}
		}
	}
	t.fillTaken()
	t.addBasins(weights)
	return t
}

func (t *Trace) fillTaken() {
	t.taken = make([]int8, len(t.ends))
	for i := range t.taken {
		n := 0
		for action, set := range t.greedy {
			if set.Has(i) {
				t.taken[i], n = int8(action), n+1
			}
		}
		switch {
		case !t.inside.Has(i):
			t.taken[i] = schema.Terminate
		case n > 1:
			t.taken[i] = manyActions
		}
	}
}

func (t *Trace) addBasins(weights StateWeights) {
	var all []int32
	for i := range t.ends {
		if t.inside.Has(i) {
			all = append(all, int32(i))
		}
	}
	slices.SortStableFunc(all, func(i, j int32) int { return cmp.Compare(t.ends[i], t.ends[j]) })
	for from := 0; from < len(all); {
		one, to := basin{end: t.ends[all[from]]}, from
		for ; to < len(all) && t.ends[all[to]] == one.end; to++ {
			one.weight += weights.at(int(all[to]))
		}
		one.states, t.Weight = all[from:to], t.Weight+one.weight
		if one.weight > t.main.weight {
			t.main = one
		}
		t.basins, from = append(t.basins, one), to
	}
}

// MayReach reports whether the similarity of two options can be at least limit, by the weights of their basins alone.
func (t *Trace) MayReach(b *Trace, limit float64) bool {
	least := limit * float64(max(t.Weight, b.Weight)) * (1 - shareRounding)
	if float64(min(t.Weight, b.Weight)) < least ||
		float64(t.Weight-t.main.weight) < least && !b.endsIn(t.main.end) ||
		float64(b.Weight-b.main.weight) < least && !t.endsIn(b.main.end) {
		return false
	}
	most := int64(0)
	for x, y := range t.commonBasins(b) {
		most += min(x.weight, y.weight)
	}
	return float64(most) >= least
}

// endsIn reports whether the option has a basin with that end.
func (t *Trace) endsIn(end int32) bool {
	_, found := slices.BinarySearchFunc(t.basins, end, func(x basin, end int32) int { return cmp.Compare(x.end, end) })
	return found
}

// shareRounding bounds the difference that rounding causes between two equal shares.
const shareRounding = 1e-12

// commonBasins yields the basins of two options that have the same end.
func (t *Trace) commonBasins(b *Trace) iter.Seq2[basin, basin] {
	return func(yield func(x, y basin) bool) {
		for i, j := 0, 0; i < len(t.basins) && j < len(b.basins); {
			switch x, y := t.basins[i], b.basins[j]; {
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

// Common returns the weight of the states in which at least one of two options acts, and that of those in which they do
// the same: both act, some action is as good in both as the one that each takes, and both end in the same state, or
// never.
func (t *Trace) Common(b *Trace, weights StateWeights) (same, all int64) {
	for block := range t.inside {
		all += weights.of(block, t.inside[block]|b.inside[block])
	}
	for x, y := range t.commonBasins(b) {
		if len(x.states) > len(y.states) {
			x = y
		}
		for _, s := range x.states {
			if t.ends[s] == b.ends[s] && t.doesAs(b, s) {
				same += weights.at(int(s))
			}
		}
	}
	return same, all
}

// doesAs reports whether both options act in a state, and some action is as good in both as the one that each
// takes.
func (t *Trace) doesAs(b *Trace, state int32) bool {
	if x, y := t.taken[state], b.taken[state]; x != manyActions && y != manyActions {
		return x == y && x != schema.Terminate
	}
	for action := range t.greedy {
		if t.greedy[action].Has(int(state)) && b.greedy[action].Has(int(state)) {
			return t.inside.Has(int(state)) && b.inside.Has(int(state))
		}
	}
	return false
}

// StateWeights are the weights of the states of traces. The zero value has 1 for each.
type StateWeights struct {
	weights []int64
	blocks  []int64 // sums over 64 states
}

func NewStateWeights(visits []StateVisits) StateWeights {
	w := StateWeights{weights: make([]int64, len(visits)), blocks: make([]int64, (len(visits)+63)/64)}
	for i, v := range visits {
		w.weights[i] = v.Steps
		w.blocks[i/64] += v.Steps
	}
	return w
}

func (s StateWeights) at(i int) int64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[i]
}

// of returns the sum over a set of states of one block. If fewer states are left out than included, it subtracts their
// weights from the block's.
func (s StateWeights) of(block int, set uint64) (sum int64) {
	if s.weights == nil {
		return int64(bits.OnesCount64(set))
	}
	first := 64 * block
	if bits.OnesCount64(set) <= 32 {
		for ; set != 0; set &= set - 1 {
			sum += s.weights[first+bits.TrailingZeros64(set)]
		}
		return sum
	}
	sum = s.blocks[block]
	for left := ^set; left != 0; left &= left - 1 {
		i := first + bits.TrailingZeros64(left)
		if i >= len(s.weights) {
			break
		}
		sum -= s.weights[i]
	}
	return sum
}

// IsNowhere reports whether the option acts in no state.
func (b *Behaviour) IsNowhere() bool {
	return !slices.ContainsFunc(b.Inside, func(block uint64) bool { return block != 0 })
}

// SimilarityOverStates returns the similarity of two options with every state weighing the same.
func SimilarityOverStates(a, b *Behaviour) float64 {
	return ShareOf(a.trace().Common(b.trace(), StateWeights{}))
}

// ShareOf returns part/whole, or 1 if whole is 0.
func ShareOf[T int | int64](part, whole T) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// StateVisits is a state and the number of steps that began in it.
type StateVisits struct {
	State int
	Steps int64
}

// Similarity returns the similarity of two options: of the steps that began where either acts, the share from which
// both do the same. If no step began there, it is the share of states. Two options that act nowhere have similarity 1.
func Similarity(a, b *Behaviour, visits []StateVisits) float64 {
	weights := NewStateWeights(visits)
	same, all := a.TraceIn(visits, weights).Common(b.TraceIn(visits, weights), weights)
	if all > 0 {
		return ShareOf(same, all)
	}
	return SimilarityOverStates(a, b)
}
