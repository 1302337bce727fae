package diff

import (
	"runtime"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

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
	ofPurposes := images + n.pairs(2)
	if g.out.By == Purposes {
		return memory.Check(vectors + ofPurposes)
	}
	n = options.countItems()
	ofOptions := visited*(traceBytes*(n.found+n.random)+indexBytes*n.atOnce) + n.pairs(3)
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

// itemCounts are numbers of items of a pool: those in its sets, the random ones, and both that are compared in one
// iteration, at most; and the size of the largest set.
type itemCounts struct{ found, random, atOnce, largest int64 }

// pairs returns the bytes of so many numbers for each pair of items of two sets, which each processor compares.
func (n itemCounts) pairs(numbers int64) int64 {
	return int64(runtime.GOMAXPROCS(0)) * numbers * 8 * n.largest * n.largest
}

// countItems counts the items that will be compared.
func (p *pool) countItems() (n itemCounts) {
	references := map[int]int{} // by size
	for k := range p.iterations() {
		m, compared := p.membersOf(k), int64(0)
		for _, set := range m.sets {
			compared += int64(len(set))
		}
		n.found += compared
		for i, sets := range p.referencesOf(m) {
			size := m.size(m.strata[i])
			references[size] = max(references[size], sets)
			compared += int64(sets) * int64(size)
		}
		n.atOnce, n.largest = max(n.atOnce, compared), max(n.largest, int64(m.largest()))
	}
	for size, sets := range references {
		n.random += int64(sets) * int64(size)
	}
	return n
}
