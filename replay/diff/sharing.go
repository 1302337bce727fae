package diff

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Sharing tells in how many runs the most common purpose or option is, beside random sets of the same sizes: in each
// draw every set of every run is another random set, and the most common of these purposes or options counts.
type Sharing struct {
	Most    int      `json:"most"`        // runs that have the most common one
	Mean    *float64 `json:"chance_mean"` // the same of random sets: mean over the draws
	P95     *int     `json:"chance_p95"`  // and what 95 % of the draws do not exceed
	Draws   int      `json:"draws"`
	Unknown string   `json:"unknown"` // why there is no chance level, "" if there is one
}

const (
	sharingDraws = 999
	// sharingWork is the number of operations that random sets may take, as [discoveries.referenceWork] counts them.
	sharingWork    = 4 * workOfReferences
	unknownTooLong = "too long"
)

// sharing compares how common the most common thing is with random sets.
func (d *discoveries) sharing(ctx context.Context, list []Distinct) (s Sharing, err error) {
	if len(list) > 0 {
		s.Most = list[0].Runs
	}
	runs := 0
	for _, byK := range d.sets {
		if slices.ContainsFunc(byK, func(set []int) bool { return len(set) > 0 }) {
			runs++
		}
	}
	if s.Unknown = d.unknownChance(runs); s.Unknown != "" {
		return s, nil
	}
	if s.Unknown = d.tooLong(); s.Unknown != "" {
		return s, nil
	}
	random, err := d.randomSets(ctx)
	if err != nil {
		return s, err
	}
	counts, err := random.draw(ctx, d)
	if err != nil {
		return s, err
	}
	slices.Sort(counts)
	mean, p95 := stat.Mean(counts, nil), int(stat.Quantile(0.95, stat.Empirical, counts, nil))
	s.Mean, s.P95, s.Draws = &mean, &p95, len(counts)
	return s, nil
}

// tooLong returns why as many random sets as there are sets are not made, "" if they can be.
func (d *discoveries) tooLong() string {
	work, things := int64(0), 0
	for _, byK := range d.sets {
		for _, set := range byK {
			if len(set) > 0 {
				work, things = work+int64(d.referenceWork(len(set))), things+len(set)
			}
		}
	}
	traces, ok := d.things.(*optionTraces)
	if work > sharingWork || things > maxDiscoveries || ok && !traces.fits(things) {
		return unknownTooLong
	}
	return ""
}

// randomSets are random sets in the places of those that the runs have.
type randomSets struct {
	runs  map[int][]int   // by size: the run of each set
	sets  map[int][][]int // by size, in the order of runs
	sizes []int
	near  [][]int // by thing: the sets that have one within the threshold, perhaps several times
}

// randomSets returns one random set for each set of each run.
func (d *discoveries) randomSets(ctx context.Context) (r randomSets, err error) {
	r.runs, r.sets = map[int][]int{}, map[int][][]int{}
	for run, byK := range d.sets {
		for _, set := range byK {
			if len(set) > 0 {
				r.runs[len(set)] = append(r.runs[len(set)], run)
			}
		}
	}
	var all [][]int
	for size, runs := range r.runs {
		r.sizes = append(r.sizes, size)
		if r.sets[size], err = d.referenceSets(ctx, size, len(runs)); err != nil {
			return r, err
		}
	}
	slices.Sort(r.sizes)
	for _, size := range r.sizes {
		all = append(all, r.sets[size]...)
	}
	r.near, err = d.nearSets(ctx, all)
	return r, err
}

// nearSets returns, for each thing of the sets, the sets that have one within its threshold.
func (d *discoveries) nearSets(ctx context.Context, sets [][]int) ([][]int, error) {
	var things, setOf []int
	for number, set := range sets {
		for _, x := range set {
			things, setOf = append(things, x), append(setOf, number)
		}
	}
	near := make([][]int, len(things))
	for i := range things {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		near[i] = append(near[i], setOf[i])
		same, err := d.things.reaching(things, i, d.threshold)
		if err != nil {
			return nil, err
		}
		for _, j := range same {
			near[i], near[j] = append(near[i], setOf[j]), append(near[j], setOf[i])
		}
	}
	return near, nil
}

// draw gives the sets of each size to the runs at random, again and again, and returns how many runs have the most
// common thing.
func (r randomSets) draw(ctx context.Context, d *discoveries) ([]float64, error) {
	random := rand.New(rand.NewPCG(chanceSeed, uint64(len(r.near))))
	var runOf []int // by number of the set
	counts := make([]float64, 0, sharingDraws)
	seen := make([]int, len(d.sets)) // by run: the thing for which it was counted last, plus one
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
		for thing, sets := range r.near {
			n, mark := 0, draw*len(r.near)+thing+1
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
