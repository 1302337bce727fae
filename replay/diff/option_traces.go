package diff

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// optionTraces are options reduced to the visited states, by which their similarity is weighted.
type optionTraces struct {
	visits  []behaviours.StateVisits // the most visited first, each state once
	weights behaviours.StateWeights
	traces  []*behaviours.Trace
	nowhere []bool // options that act nowhere

	// load returns functions that compute the whole behaviour of an option again.
	load   []func() (*behaviours.Behaviour, error)
	memory memory.Meter
	loaded map[int]*behaviours.Behaviour // the last one or two
	lock   sync.Mutex                    // of loaded
}

const maxTraceStates = 1 << 28 // options times visited states, which limits the memory of traces

// traceBytes is the memory for an option in a visited state: where it ends, its action, the greedy ones and the basin.
const traceBytes = 10

func newOptionTraces(visits []behaviours.StateVisits) *optionTraces {
	c := &optionTraces{visits: mergeVisits(visits), loaded: map[int]*behaviours.Behaviour{}}
	c.weights = behaviours.NewStateWeights(c.visits)
	return c
}

// mergeVisits returns each state once, the most visited first.
func mergeVisits(visits []behaviours.StateVisits) []behaviours.StateVisits {
	steps := map[int]int64{}
	for _, v := range visits {
		steps[v.State] += v.Steps
	}
	merged := make([]behaviours.StateVisits, 0, len(steps))
	for s, n := range steps {
		merged = append(merged, behaviours.StateVisits{State: s, Steps: n})
	}
	slices.SortFunc(merged, func(v, w behaviours.StateVisits) int {
		return cmp.Or(-cmp.Compare(v.Steps, w.Steps), cmp.Compare(v.State, w.State))
	})
	return merged
}

func (o *optionTraces) add(load func() (*behaviours.Behaviour, error)) error {
	b, err := load()
	if err != nil {
		return err
	}
	return o.addLoaded(b, load)
}

// fits reports whether that many options can be added.
func (o *optionTraces) fits(options int) bool {
	return (len(o.traces)+options)*len(o.visits) <= maxTraceStates
}

// addLoaded appends an option whose behaviour is already computed.
func (o *optionTraces) addLoaded(b *behaviours.Behaviour, load func() (*behaviours.Behaviour, error)) error {
	if !o.fits(1) {
		return schema.Hint(fmt.Errorf("more than %d options in %d visited states %w", len(o.traces),
			len(o.visits), ErrIncomparable), AdvicePurposesAlone)
	}
	if err := o.memory.Take(traceBytes * int64(len(o.visits))); err != nil {
		return err
	}
	o.traces, o.nowhere = append(o.traces, b.TraceIn(o.visits, o.weights)), append(o.nowhere, b.IsNowhere())
	o.load = append(o.load, load)
	return nil
}

func (o *optionTraces) similarities(sets [][]int) func(i, j int) ([][]float64, error) {
	return func(a, b int) ([][]float64, error) {
		if err := memory.Check(2 * 8 * int64(len(sets[a])) * int64(len(sets[b]))); err != nil {
			return nil, err
		}
		all := make([][]float64, len(sets[a]))
		for i, x := range sets[a] {
			all[i] = make([]float64, len(sets[b]))
			for j, y := range sets[b] {
				var err error
				same, either := o.traces[x].Common(o.traces[y], o.weights)
				if all[i][j], err = o.similarityOf(x, y, same, either); err != nil {
					return nil, err
				}
			}
		}
		return all, nil
	}
}

// similarityOf returns the similarity of two options, given the weights of the states in which both do the same and of
// those in which either acts.
func (o *optionTraces) similarityOf(i, j int, same, either int64) (float64, error) {
	if either > 0 {
		return behaviours.ShareOf(same, either), nil
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.similarityUnvisited(i, j)
}

func (o *optionTraces) reaching(list []int, limit float64) func(from, to int) ([][]int, error) {
	return func(from, to int) ([][]int, error) {
		near := make([][]int, to-from)
		for i := range near {
			var err error
			if near[i], err = o.before(list[:from+i], list[from+i], limit); err != nil {
				return nil, err
			}
		}
		return near, nil
	}
}

// before returns the indices of the options of a list whose similarity to option x is at least limit.
func (o *optionTraces) before(list []int, x int, limit float64) (near []int, _ error) {
	a := o.traces[x]
	for j, y := range list {
		b := o.traces[y]
		if a.Weight+b.Weight > 0 && !a.MayReach(b, limit) {
			continue
		}
		same, either := a.Common(b, o.weights)
		s, err := o.similarityOf(x, y, same, either)
		if err != nil {
			return nil, err
		}
		if s >= limit {
			near = append(near, j)
		}
	}
	return near, nil
}

// similarityUnvisited returns the similarity of two options neither of which acts in a visited state.
func (o *optionTraces) similarityUnvisited(i, j int) (float64, error) {
	switch {
	case i == j || o.nowhere[i] && o.nowhere[j]:
		return 1, nil
	case o.nowhere[i] || o.nowhere[j]:
		return 0, nil
	}
	a, err := o.whole(i, j)
	if err != nil {
		return 0, err
	}
	b, err := o.whole(j, i)
	if err != nil {
		return 0, err
	}
	return behaviours.SimilarityOverStates(a, b), nil
}

// whole returns the behaviour of option i. It evicts every other one except that of option with.
func (o *optionTraces) whole(i, with int) (*behaviours.Behaviour, error) {
	if b := o.loaded[i]; b != nil {
		return b, nil
	}
	b, err := o.load[i]()
	if err != nil {
		return nil, err
	}
	for other := range o.loaded {
		if other != with {
			delete(o.loaded, other)
		}
	}
	o.loaded[i] = b
	return b, nil
}
