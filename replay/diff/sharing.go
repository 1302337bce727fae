package diff

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Sharing is the number of runs that have the most common purpose or option, compared with random sets of the same
// sizes: each draw replaces every set of every run by a random one, and takes the most common of their purposes or
// options.
type Sharing struct {
	Most    int      `json:"most"`        // runs that have the most common one
	Mean    *float64 `json:"chance_mean"` // the same for random sets: mean over the draws
	P95     *int     `json:"chance_p95"`  // 95th percentile of the draws
	Draws   int      `json:"draws"`
	Unknown string   `json:"unknown"` // why there is no chance level, else ""
}

const (
	sharingDraws = 999
	// sharingWork limits the operations that random sets may take, as [pool.referenceWork] counts them.
	sharingWork    = 4 * workOfReferences
	unknownTooLong = "too long"
)

// sharing compares the number of runs that have the most common item with random sets.
func (p *pool) sharing(ctx context.Context, list []Distinct) (s Sharing, err error) {
	if len(list) > 0 {
		s.Most = list[0].Runs
	}
	runs := 0
	for _, byK := range p.sets {
		if slices.ContainsFunc(byK, func(set []int) bool { return len(set) > 0 }) {
			runs++
		}
	}
	if s.Unknown = p.unknownChance(runs, 0); s.Unknown != "" {
		return s, nil
	}
	if s.Unknown = p.tooLong(); s.Unknown != "" {
		return s, nil
	}
	random, err := p.randomSets(ctx)
	if err != nil {
		return s, err
	}
	counts, err := random.draw(ctx, p)
	if err != nil {
		return s, err
	}
	slices.Sort(counts)
	mean, p95 := stat.Mean(counts, nil), int(stat.Quantile(0.95, stat.Empirical, counts, nil))
	s.Mean, s.P95, s.Draws = &mean, &p95, len(counts)
	return s, nil
}

// tooLong returns the reason unknownTooLong if making one random set for each set would take too long, else "".
func (p *pool) tooLong() string {
	work, items := int64(0), 0
	for _, byK := range p.sets {
		for _, set := range byK {
			if len(set) > 0 {
				work, items = work+p.referenceWork(len(set)), items+len(set)
			}
		}
	}
	traces, ok := p.items.(*optionTraces)
	if work > sharingWork || items > maxDiscoveries || ok && !traces.fits(items) {
		return unknownTooLong
	}
	return ""
}

// randomSets are random sets in place of the sets of the runs.
type randomSets struct {
	runs  map[int][]int   // by size: the run of each set
	sets  map[int][][]int // by size, in the order of runs
	sizes []int
	near  [][]int // by item: the sets that have one within the threshold, perhaps repeated
}

// randomSets returns one random set for each set of each run.
func (p *pool) randomSets(ctx context.Context) (r randomSets, err error) {
	r.runs, r.sets = map[int][]int{}, map[int][][]int{}
	for run, byK := range p.sets {
		for _, set := range byK {
			if len(set) > 0 {
				r.runs[len(set)] = append(r.runs[len(set)], run)
			}
		}
	}
	var all [][]int
	for size, runs := range r.runs {
		r.sizes = append(r.sizes, size)
		if r.sets[size], err = p.referenceSets(ctx, size, len(runs)); err != nil {
			return r, err
		}
	}
	slices.Sort(r.sizes)
	for _, size := range r.sizes {
		all = append(all, r.sets[size]...)
	}
	r.near, err = p.nearSets(ctx, all)
	return r, err
}

// nearSets returns, for each item of the sets, the sets that have an item within the threshold of it.
func (p *pool) nearSets(ctx context.Context, sets [][]int) ([][]int, error) {
	var items, setOf []int
	for number, set := range sets {
		for _, x := range set {
			items, setOf = append(items, x), append(setOf, number)
		}
	}
	near := make([][]int, len(items))
	err := p.eachNear(ctx, items, func(i int, same []int) {
		near[i] = append(near[i], setOf[i])
		for _, j := range same {
			near[i], near[j] = append(near[i], setOf[j]), append(near[j], setOf[i])
		}
	})
	return near, err
}

// draw repeatedly assigns the sets of each size to the runs at random, and returns for each draw how many runs have the
// most common item.
func (r randomSets) draw(ctx context.Context, d *pool) ([]float64, error) {
	random := rand.New(rand.NewPCG(chanceSeed, uint64(len(r.near))))
	var runOf []int // by number of the set
	counts := make([]float64, 0, sharingDraws)
	seen := make([]int, len(d.sets)) // by run: the item for which it was last counted, plus one
	for draw := range sharingDraws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		runOf = runOf[:0]
		for _, size := range r.sizes {
			from := len(runOf)
			runOf = append(runOf, r.runs[size]...)
			of := runOf[from:]
			random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		}
		most := 0
		for item, sets := range r.near {
			n, mark := 0, draw*len(r.near)+item+1
			for _, set := range sets {
				if run := runOf[set]; seen[run] != mark {
					seen[run], n = mark, n+1
				}
			}
			most = max(most, n)
		}
		counts = append(counts, float64(most))
	}
	return counts, nil
}
