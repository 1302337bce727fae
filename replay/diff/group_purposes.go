package diff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker/memory"
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
		if err := memory.Check(2 * 8 * int64(len(sets[i])) * int64(len(sets[j]))); err != nil {
			return nil, err
		}
		return magnitudes(selection.Cosines(pick(p.images, sets[i]), pick(p.images, sets[j]))), nil
	}
}

func (p *purposeImages) reaching(list []int, limit float64) func(from, to int) ([][]int, error) {
	images := pick(p.images, list)
	return func(from, to int) ([][]int, error) {
		near := make([][]int, to-from)
		for j, cosines := range selection.Cosines(images[:to], images[from:to]) {
			for i, x := range cosines {
				if j < from+i && math.Abs(x) >= limit {
					near[i] = append(near[i], j)
				}
			}
		}
		return near, nil
	}
}

// poolDirections returns the directions of all runs, with random ones in feature space. For a comparison of options it
// keeps the purposes.
func (g *groupComparison) poolDirections() (*pool, error) {
	d, items := g.newDirectionPool()
	err := d.fill(g.runs, func(r *Side, k int) (found []foundItem, err error) {
		f, purposes, err := r.Selection(k)
		for _, x := range (&optionSet{Purposes: r.signed(k, purposes)}).directions(nil) {
			found = append(found, foundItem{ref: report.OptionRef(r.Label(), k, x.j, 1), sigma: x.sigma,
				gap: gapOf(f.Sigma, x.j), vector: x.vector, purpose: x.vector})
		}
		if g.out.By == Options {
			g.purposes[r], g.sigma[r] = append(g.purposes[r], purposes), append(g.sigma[r], slices.Clone(f.Sigma))
		}
		r.Release()
		return found, err
	})
	if err != nil {
		return nil, err
	}
	return d, g.addImages(d, items)
}

// addImages adds the images of the directions that were found. Random ones need all coordinates; if there are none,
// images have those that can differ from 0.
func (g *groupComparison) addImages(d *pool, items *purposeImages) error {
	vectors, m := make([][]float64, len(d.found)), g.metric
	for i, it := range d.found {
		vectors[i] = it.vector
	}
	live := upTo(m.Dims())
	if !d.drawsRandom() {
		live = liveCoordinates(m.Dims(), vectors)
		m = m.restrict(live)
	}
	if err := memory.Check(8 * int64(len(vectors)) * int64(m.Coordinates())); err != nil {
		return err
	}
	for _, v := range vectors {
		items.add(m.Image(pick(v, live)))
	}
	return nil
}

// newDirectionPool returns an empty list of directions, with the source of random ones.
func (g *groupComparison) newDirectionPool() (*pool, *purposeImages) {
	items := &purposeImages{}
	d := &pool{
		kind: Purposes, threshold: g.limits.Cosine, items: items, references: map[int][][]int{}, mostReferences: 100,
		progress: g.progress,
	}
	if g.metric.Rank() == 0 {
		return d, items // without two different transitions, no direction is random
	}
	d.referenceWork = func(size int) int64 {
		return int64(size) * int64(g.metric.Dims()) * int64(size+g.metric.Rank())
	}
	d.addReference = func(ctx context.Context, size, number int) ([]int, error) {
		vectors, err := g.metric.randomVectors(ctx, randomSource(size, number), size)
		set := make([]int, len(vectors))
		for i, v := range vectors {
			set[i] = items.add(g.metric.Image(v))
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
	c.set(matched)
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
