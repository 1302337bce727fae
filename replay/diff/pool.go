package diff

import (
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// A Kind is the kind of discoveries that are compared between the runs of a group.
type Kind string

// The kinds of discoveries.
const (
	Purposes Kind = "purposes" // directions, regardless of sign
	Options  Kind = "options"
)

// A pool holds all items of one kind that the runs of a group found, and the random ones that they are compared with.
type pool struct {
	kind      Kind
	threshold float64
	items     collection
	found     []foundItem // the first of items, in order of run, iteration and position
	sets      [][][]int   // by run and iteration: indices in items

	// addReference adds the random set with that size and number to items. It is nil if there is no chance level.
	addReference func(ctx context.Context, size, number int) ([]int, error)
	references   map[int][][]int // by size: sets added so far
	modelled     bool            // of options: the environment has a model, which random ones need

	// referenceWork returns the approximate number of operations that a random set of the given size takes.
	referenceWork  func(size int) int64
	mostReferences int

	progress func(share float64) // see [newGroupProgress]
}

// fill adds what read finds in each iteration of each run.
func (p *pool) fill(runs []*Side, read func(r *Side, k int) ([]foundItem, error)) error {
	for run, r := range runs {
		var byK [][]int
		for k := range r.Iterations {
			items, err := read(r, k)
			if err != nil {
				return err
			}
			set := []int{}
			for _, it := range items {
				it.run, it.k = run, k
				set, p.found = append(set, len(p.found)), append(p.found, it)
			}
			byK = append(byK, set)
			p.progress(1 / float64(len(runs)*len(r.Iterations)))
		}
		p.sets = append(p.sets, byK)
	}
	return nil
}

// iterations returns the number of iterations of the longest run.
func (p *pool) iterations() (most int) {
	for _, byK := range p.sets {
		most = max(most, len(byK))
	}
	return most
}

const (
	workOfReferences = 1 << 30
	fewReferences    = 10
	matchedInAnyCase = 30
)

// referenceCount returns the number of random sets, of all sizes up to the given one together, bounded so that making
// them takes about two seconds, and matching them with each other as long. Large sets need fewer: the larger two random
// sets are, the less does their similarity vary.
func (p *pool) referenceCount(size int) int {
	matched := math.Sqrt(2 * workOfReferences / math.Pow(float64(max(1, size)), 3))
	most := min(p.mostReferences, max(matchedInAnyCase, int(matched)))
	return max(fewReferences, min(most, int(workOfReferences/max(1, p.referenceWork(size)))))
}

// takesTooLong reports whether the least number of random sets of a size, or matching two of them, takes longer than
// about half a minute.
func (p *pool) takesTooLong(size int) bool {
	const most = 1 << 36
	return fewReferences*p.referenceWork(size) > most || size > 1<<12
}

// drawsRandom reports whether some set is compared with random ones.
func (p *pool) drawsRandom() bool {
	return p.addReference != nil && slices.ContainsFunc(slices.Concat(p.sets...), func(set []int) bool {
		return len(set) > 0 && !p.takesTooLong(len(set))
	})
}

const maxDiscoveries = 1 << 14 // which limits the relation of all pairs to 32 MiB

// referenceSets returns n random sets of a size.
func (p *pool) referenceSets(ctx context.Context, size, n int) ([][]int, error) {
	for number := len(p.references[size]); number < n; number++ {
		set, err := p.addReference(ctx, size, number)
		if err != nil {
			return nil, err
		}
		p.references[size] = append(p.references[size], set)
	}
	return p.references[size][:n], nil
}

// distinct returns the distinct items that runs found, the most common first.
func (p *pool) distinct(ctx context.Context, runs int) ([]Distinct, error) {
	near, runOf := make(neighbours, len(p.found)), make([]int, len(p.found))
	err := p.eachNear(ctx, upTo(len(p.found)), func(i int, same []int) {
		near.join(i, i)
		for _, j := range same {
			near.join(i, j)
		}
	})
	if err != nil {
		return nil, err
	}
	for i, it := range p.found {
		runOf[i] = it.run
	}
	list := []Distinct{}
	for _, i := range greedyCover(near, runOf) {
		list = append(list, newDistinct(p.found, i, near.of(i), runs))
	}
	orderDistinct(list)
	return list, nil
}

// eachNear calls f for each position in a list of items, in order, with the earlier ones that have an item within the
// threshold.
func (p *pool) eachNear(ctx context.Context, list []int, f func(i int, same []int)) error {
	reaching := p.items.reaching(list, p.threshold)
	const part, parts = 16, 16 // compared by one goroutine, and at once
	for begin := 0; begin < len(list); begin += parts * part {
		var same [parts][][]int
		err := inParallel(ctx, parts, func(i int) (err error) {
			from := min(begin+i*part, len(list))
			same[i], err = reaching(from, min(from+part, len(list)))
			return err
		})
		if err != nil {
			return err
		}
		for i, near := range slices.Concat(same[:]...) {
			f(begin+i, near)
		}
		p.progress(float64(min(parts*part, len(list)-begin)) / float64(len(list)))
	}
	return nil
}

// inParallel calls f with the numbers below n, on all processors.
func inParallel(ctx context.Context, n int, f func(i int) error) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(i)
		})
	}
	return workers.Wait()
}

// setMatch is the similarity of two sets: the sum over the pairs of an optimal matching, and their number.
type setMatch struct {
	sum   float64
	pairs int
}

func (s setMatch) mean() float64 { return s.sum / float64(s.pairs) }

// matchSets matches two sets so that the sum of the similarities is maximal. weights holds the similarity of each item
// of the first with each of the second.
func matchSets(weights [][]float64, a, b int) (m setMatch) {
	for i, j := range assign(weights, a, b) {
		if j >= 0 {
			m.sum += weights[i][j]
			m.pairs++
		}
	}
	return m
}

// A collection is a list of items that can be compared with each other: purposes or options.
type collection interface {
	// similarities returns a function that returns the similarity, from 0 to 1, of each item of set i with each of set
	// j. The function is safe for concurrent use.
	similarities(sets [][]int) func(i, j int) ([][]float64, error)

	// reaching returns a function that returns, for each of the items from one index of list to before another, the
	// indices of the earlier ones whose similarity to it is at least limit, in ascending order. The function is safe for
	// concurrent use.
	reaching(list []int, limit float64) func(from, to int) ([][]int, error)
}

// upTo returns the numbers 0, 1, … below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// neighbours is the symmetric and reflexive relation of items within the threshold of each other: a set for each, of
// one bit a pair.
type neighbours []envs.VisitedSet

func (n neighbours) join(i, j int) {
	n[i].Add(j)
	n[j].Add(i)
}

// of returns the items within the threshold of item i, itself included, ascending.
func (n neighbours) of(i int) (list []int) {
	for j := range n {
		if n[i].Has(j) {
			list = append(list, j)
		}
	}
	return list
}

// checkMemory returns an error if the comparison needs more memory than there is. It is called before the purposes and
// options are read: their numbers, and so those of random ones, follow from the recorded measures, and so does the
// least number of states that the runs visited together. What depends on the records is checked when it is allocated.
func (g *groupComparison) checkMemory() error {
	directions, _ := g.newDirectionPool()
	options, traces := g.newOptionPool(nil)
	if env, ok := envs.As[envs.SimulatedEnv](g.runs[0].Env); ok {
		g.addRandomOptions(options, traces, env, g.runs[0].Spec)
	}
	visited, err := g.readSizes(directions, options)
	if err != nil {
		return err
	}
	n := directions.countItems()
	vectors := 8 * n.found * int64(g.metric.Dims())
	images := 8 * (n.found + n.random) * int64(g.metric.Coordinates())
	if n.random == 0 {
		images = 0 // they have fewer coordinates
	}
	ofPurposes := images + n.ofPairs()
	if g.out.By == Purposes {
		return memory.Check(vectors + ofPurposes)
	}
	n = options.countItems()
	ofOptions := visited*traceBytes*(n.found+n.random) + n.ofPairs()
	return memory.Check(2*vectors + max(ofPurposes, ofOptions)) // the vectors of both signs are kept for the options
}

// readSizes gives pools sets of the sizes that the measures of the runs have, and returns the most states that an
// iteration visited. Measures that cannot be read count as none.
func (g *groupComparison) readSizes(directions, options *pool) (visited int64, err error) {
	items := make([]int, maxDiscoveries)
	setOf := func(n int64) []int { return items[:min(max(n, 0), maxDiscoveries)] }
	for _, r := range g.runs {
		var ofDirections, ofOptions [][]int
		err := r.View(func(tx *tracker.Tx) error {
			for k := range r.Iterations {
				m, _ := report.LoadMeasures(tx, r.ID, k)
				ofDirections, ofOptions = append(ofDirections, setOf(m.Purposes)), append(ofOptions, setOf(m.Options))
				visited = max(visited, min(m.StatesVisited, int64(r.Env.States())))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		directions.sets, options.sets = append(directions.sets, ofDirections), append(options.sets, ofOptions)
	}
	return visited, nil
}

// itemCounts are numbers of items of a pool: those in its sets, and the random ones; and the size of the largest set.
type itemCounts struct{ found, random, largest int64 }

// ofPairs returns the bytes of two numbers for each pair of items of two sets, which each processor compares.
func (n itemCounts) ofPairs() int64 {
	return int64(runtime.GOMAXPROCS(0)) * 2 * 8 * n.largest * n.largest
}

// countItems counts the items that will be compared.
func (p *pool) countItems() (n itemCounts) {
	references := map[int]int{} // by size
	for k := range p.iterations() {
		m := p.membersOf(k)
		for _, set := range m.sets {
			n.found += int64(len(set))
		}
		for i, sets := range p.referencesOf(m) {
			size := m.size(m.strata[i])
			references[size] = max(references[size], sets)
		}
		n.largest = max(n.largest, int64(m.largest()))
	}
	for size, sets := range references {
		n.random += int64(sets) * int64(size)
	}
	return n
}
