package explore

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Diversity measures how different the options of an iteration are, over the states that the environment had when they
// were made.
type Diversity struct {
	// EndSets is the number of distinct termination sets T. Unless options have a single start, T is the complement
	// of I, so this is the number of distinct I too.
	EndSets int64 `json:"end_sets"`

	// InitiationOverlap and TerminationOverlap are the mean Jaccard coefficients of the sets I and T
	// of two options, over all pairs; nil with fewer than two options.
	InitiationOverlap  *float64 `json:"initiation_overlap"`
	TerminationOverlap *float64 `json:"termination_overlap"`

	// StartShare is the share of all states in which some of the options can start.
	StartShare float64 `json:"start_share"`
}

// readDiversity reads the initiation sets of an iteration's options, all in one transaction, and
// returns their diversity, nil without options.
func readDiversity(view tracker.Viewer, it schema.Iteration, states int) (*Diversity, error) {
	var sets, acts [][]uint64
	err := view(func(tx *tracker.Tx) error {
		known := -1
		for _, name := range it.RecordsOf(schema.KindOption) {
			i, err := tracker.Load(tx, name, schema.DecodeInitiation)
			if err != nil {
				return err
			}
			if i.States > states || known >= 0 && i.States != known {
				return fmt.Errorf("record %s: %w: option with %d states", name, wire.ErrMalformed, i.States)
			}
			known = i.States
			sets = append(sets, i.Words)
			if i.Acts != nil {
				acts = append(acts, i.Acts)
			}
		}
		states = known
		return nil
	})
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	d := newDiversity(sets, states)
	if acts != nil {
		other := newDiversity(acts, states)
		d.EndSets, d.TerminationOverlap = other.EndSets, other.TerminationOverlap
	}
	return d, nil
}

// newDiversity returns the diversity of options with these initiation sets, whose complements are their T, over that
// many states.
func newDiversity(sets [][]uint64, states int) *Diversity {
	any := make([]uint64, (states+63)/64)
	for _, set := range sets {
		for w, word := range set {
			any[w] |= word
		}
	}
	starts, _ := overlap(any, any)
	distinct := countDistinct(sets)
	d := &Diversity{EndSets: int64(len(distinct)), StartShare: share(int64(starts), int64(states))}
	if len(sets) < 2 {
		return d
	}
	initiation, termination := 0.0, 0.0
	for i, a := range distinct {
		alike := float64(a.count * (a.count - 1) / 2) // pairs of options with this set
		initiation, termination = initiation+alike, termination+alike
		for _, b := range distinct[:i] {
			both, either := overlap(a.set, b.set)
			pairs := float64(a.count * b.count)
			initiation += float64(pairs * share(int64(both), int64(either)))
			termination += float64(pairs * share(int64(states-either), int64(states-both)))
		}
	}
	pairs := float64(len(sets) * (len(sets) - 1) / 2)
	d.InitiationOverlap, d.TerminationOverlap = new(initiation/pairs), new(termination/pairs)
	return d
}

// overlap returns the sizes of the intersection and of the union of two sets.
func overlap(a, b []uint64) (both, either int) {
	for w, word := range a {
		both += bits.OnesCount64(word & b[w])
		either += bits.OnesCount64(word | b[w])
	}
	return both, either
}

// countedSet is a set with the number of options that have it.
type countedSet struct {
	set   []uint64
	count int
}

// countDistinct returns the distinct sets in ascending order. Many options may have the same one.
func countDistinct(sets [][]uint64) (distinct []countedSet) {
	for _, set := range slices.SortedFunc(slices.Values(sets), slices.Compare) {
		if n := len(distinct); n > 0 && slices.Equal(distinct[n-1].set, set) {
			distinct[n-1].count++
		} else {
			distinct = append(distinct, countedSet{set, 1})
		}
	}
	return distinct
}

// share returns part / whole, 1 if whole is 0.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
