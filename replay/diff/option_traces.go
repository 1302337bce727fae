package diff

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
)

// optionTraces are options reduced to the states that were visited, which weigh in their similarity.
type optionTraces struct {
	visits  []behaviours.StateVisits // the most visited first, each state once
	weights behaviours.StateWeights
	traces  []*behaviours.Trace
	nowhere []bool // options that can start in no state

	// load computes the whole behaviour of an option again.
	load   []func() (*behaviours.Behaviour, error)
	loaded map[int]*behaviours.Behaviour // the last one or two
	lock   sync.Mutex                    // of loaded
}

// maxTraceStates limits the memory of traces: options times visited states.
const maxTraceStates = 1 << 28

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

// add appends an option.
func (c *optionTraces) add(load func() (*behaviours.Behaviour, error)) error {
	b, err := load()
	if err != nil {
		return err
	}
	return c.addLoaded(b, load)
}

// fits reports whether so many options can be added.
func (c *optionTraces) fits(options int) bool {
	return (len(c.traces)+options)*len(c.visits) <= maxTraceStates
}

// addLoaded appends an option of which the behaviour is there already.
func (c *optionTraces) addLoaded(b *behaviours.Behaviour, load func() (*behaviours.Behaviour, error)) error {
	if !c.fits(1) {
		return schema.Advise(fmt.Errorf("more than %d options in %d visited states %w with each other", len(c.traces),
			len(c.visits), ErrIncomparable), AdvicePurposesAlone)
	}
	c.traces, c.nowhere = append(c.traces, b.TraceIn(c.visits, c.weights)), append(c.nowhere, b.IsNowhere())
	c.load = append(c.load, load)
	return nil
}

func (c *optionTraces) similarTo(list []int) func(of []int) ([][]float64, error) {
	shared := c.sharedWith(list)
	return func(of []int) ([][]float64, error) {
		all := make([][]float64, len(of))
		for i, x := range of {
			all[i] = make([]float64, len(list))
			same, either := shared(x)
			for j, y := range list {
				var err error
				if all[i][j], err = c.similarityOf(x, y, same[j], either[j]); err != nil {
					return nil, err
				}
			}
		}
		return all, nil
	}
}

// indexedOptions is the number of options from which on an index of them pays.
const indexedOptions = 64

// sharedWith returns a function of an option: what it has in common with each of list, like [behaviours.Trace.common].
func (c *optionTraces) sharedWith(list []int) func(option int) (same, either []int64) {
	if len(list) >= indexedOptions {
		traces := make([]*behaviours.Trace, len(list))
		for i, other := range list {
			traces[i] = c.traces[other]
		}
		index := behaviours.NewTraceIndex(traces, c.weights, len(c.visits))
		return func(option int) (same, either []int64) { return index.Common(c.traces[option]) }
	}
	return func(option int) (same, either []int64) {
		for _, other := range list {
			s, e := c.traces[option].Common(c.traces[other], c.weights)
			same, either = append(same, s), append(either, e)
		}
		return same, either
	}
}

// similarityOf returns the similarity of two options, given the weight of the states in which they do the same, and of
// those in which either can start.
func (c *optionTraces) similarityOf(i, j int, same, either int64) (float64, error) {
	if either > 0 {
		return behaviours.ShareOf(same, either), nil
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.similarityUnvisited(i, j)
}

func (c *optionTraces) reaching(list []int, i int, limit float64) (near []int, _ error) {
	x := list[i]
	a := c.traces[x]
	for j, y := range list[:i] {
		b := c.traces[y]
		if a.Weight+b.Weight > 0 && !a.MayReach(b, limit) {
			continue
		}
		same, either := a.Common(b, c.weights)
		s, err := c.similarityOf(x, y, same, either)
		if err != nil {
			return nil, err
		}
		if s >= limit {
			near = append(near, j)
		}
	}
	return near, nil
}

// similarityUnvisited returns the similarity of two options neither of which can start in a visited state.
func (c *optionTraces) similarityUnvisited(i, j int) (float64, error) {
	if i == j || c.nowhere[i] || c.nowhere[j] {
		return similarityOfNowhere(i == j || c.nowhere[i] && c.nowhere[j]), nil
	}
	a, err := c.whole(i, j)
	if err != nil {
		return 0, err
	}
	b, err := c.whole(j, i)
	if err != nil {
		return 0, err
	}
	return behaviours.SimilarityOverStates(a, b), nil
}

func similarityOfNowhere(same bool) float64 {
	if same {
		return 1
	}
	return 0
}

// whole returns the behaviour of option i, and keeps no other in memory but that of option with.
func (c *optionTraces) whole(i, with int) (*behaviours.Behaviour, error) {
	if b := c.loaded[i]; b != nil {
		return b, nil
	}
	b, err := c.load[i]()
	if err != nil {
		return nil, err
	}
	for other := range c.loaded {
		if other != with {
			delete(c.loaded, other)
		}
	}
	c.loaded[i] = b
	return b, nil
}
