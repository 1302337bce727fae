package diff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker/memory"
	"gonum.org/v1/gonum/stat"
)

// purposeImages are purposes regardless of sign, as the images of their directions. Their similarity is |cos_M|.
type purposeImages struct{ images [][]float64 }

// add appends an image and returns its number.
func (p *purposeImages) add(image []float64) int {
	p.images = append(p.images, image)
	return len(p.images) - 1
}

func (p *purposeImages) similarities(sets [][]int) func(i, j int) ([][]float64, error) {
	return func(i, j int) ([][]float64, error) {
		return magnitudes(selection.Cosines(pick(p.images, sets[i]), pick(p.images, sets[j]))), nil
	}
}

// reaching skips most pairs after a part of their coordinates: the other coordinates add at most the product of the
// images' lengths in them.
func (p *purposeImages) reaching(list []int, limit float64) func(i int) ([]int, error) {
	images, rest, head := pick(p.images, list), make([]float64, len(list)), 0
	if len(images) > 0 {
		head = len(images[0]) / 4
	}
	for i, x := range images {
		if rest[i] = linalg.Norm(x[head:]); linalg.Norm(x) == 0 {
			rest[i] = 1 // two purposes that reward nothing are the same
		}
	}
	const slack = 1e-9 // more than rounding can cause
	return func(i int) (near []int, _ error) {
		products := make([]float64, i)
		linalg.MultiplyRows(images[:i], 0, images[i][:head], products)
		for j, product := range products {
			if math.Abs(product)+rest[i]*rest[j] < limit-slack {
				continue
			}
			if x := selection.Cosines(images[i:i+1], images[j:j+1]); math.Abs(x[0][0]) >= limit {
				near = append(near, j)
			}
		}
		return near, nil
	}
}

// poolDirections returns the directions of all runs, with random ones in feature space.
func (g *groupComparison) poolDirections() (*pool, error) {
	d, items := g.newDirectionPool()
	for run, r := range g.runs {
		var byK [][]int
		for k := range r.Iterations {
			_, purposes, err := r.Selection(k)
			if err != nil {
				return nil, err
			}
			set := []int{}
			if err := memory.Check(8 * int64(len(purposes)) * int64(g.metric.Coordinates())); err != nil {
				return nil, err
			}
			directions := (&optionSet{Purposes: r.withoutRefs(purposes)}).directions(nil)
			for i, image := range images(g.metric, directions) {
				direction := directions[i]
				set = append(set, items.add(image))
				d.found = append(d.found, foundItem{
					run: run, k: k, ref: report.OptionRef(r.Label(), k, direction.j, 1), sigma: direction.sigma,
					vector: direction.vector, purpose: direction.vector,
				})
			}
			byK = append(byK, set)
			g.progress()
		}
		d.sets = append(d.sets, byK)
	}
	return d, nil
}

// newDirectionPool returns an empty list of directions, with the source of random ones.
func (g *groupComparison) newDirectionPool() (*pool, *purposeImages) {
	items := &purposeImages{}
	d := &pool{
		kind: Purposes, threshold: g.limits.Cosine, items: items, references: map[int][][]int{}, mostReferences: 100,
	}
	if g.metric.Rank() == 0 {
		return d, items // without two different transitions, no direction is random
	}
	d.referenceWork = func(size int) int64 {
		return int64(size) * int64(g.metric.Dims()) * int64(size+g.metric.Rank())
	}
	d.addReference = func(ctx context.Context, size, number int) ([]int, error) {
		images, err := g.metric.randomSet(ctx, randomSource(size, number), size)
		set := make([]int, len(images))
		for i, image := range images {
			set[i] = items.add(image)
		}
		return set, err
	}
	return d, items
}

// randomSource returns the source of a random set, by its size and number.
func randomSource(size, number int) *rand.Rand {
	return rand.New(rand.NewPCG(chanceSeed, uint64(size)<<32|uint64(number)))
}

// chanceLevel returns the level of |cosine| of matched random sets of the sizes that occur.
func (p *pool) chanceLevel() (c ChanceLevel) {
	images := p.items.(*purposeImages).images
	var sets [][]int
	for _, ofSize := range p.references {
		sets = append(sets, ofSize...)
	}
	slices.SortFunc(sets, slices.Compare) // so that sets of equal or similar size are neighbours
	var matched []float64
	for i := 1; i < len(sets); i++ {
		matched = append(matched, matchedCosines(pick(images, sets[i-1]), pick(images, sets[i]))...)
		c.Draws++
	}
	if len(matched) == 0 {
		return ChanceLevel{}
	}
	slices.Sort(matched)
	c.Mean, c.P95 = stat.Mean(matched, nil), stat.Quantile(0.95, stat.Empirical, matched, nil)
	return c
}

// pick returns the entries of a list at some positions.
func pick[T any](list []T, at []int) []T {
	picked := make([]T, len(at))
	for i, position := range at {
		picked[i] = list[position]
	}
	return picked
}
