package diff

import (
	"context"
	"math/bits"
)

// A Kind is what is compared between the runs of a group.
type Kind string

// Kinds of what runs discover.
const (
	Purposes Kind = "purposes" // directions, whatever their sign
	Options  Kind = "options"
)

// discoveries are all things of one kind that the runs of a group found, and the random ones that they are compared
// with.
type discoveries struct {
	kind      Kind
	threshold float64
	things    collection
	found     []discovery // the first of things, in order of run, iteration and position
	sets      [][][]int   // by run and iteration: numbers of things

	// addReference adds a random set of the given size to things, by the number of the set. It is nil where there
	// is no chance level.
	addReference func(ctx context.Context, size, number int) ([]int, error)
	references   map[int][][]int // by size: sets added so far
	modelled     bool            // of options: whether the environment has a model, which random ones take

	// referenceWork is about the number of operations that a random set of the given size takes.
	referenceWork  func(size int) int
	mostReferences int
}

const (
	workOfReferences = 1 << 30
	fewReferences    = 10
)

// referenceCount returns how many random sets of at most the given size there should be, of all sizes together: as many
// as a second or two makes.
func (d *discoveries) referenceCount(size int) int {
	return max(fewReferences, min(d.mostReferences, workOfReferences/max(1, d.referenceWork(size))))
}

// maxDiscoveries limits the relation of all pairs to 32 MiB.
const maxDiscoveries = 1 << 14

// referenceSets returns n random sets of a size.
func (d *discoveries) referenceSets(ctx context.Context, size, n int) ([][]int, error) {
	for number := len(d.references[size]); number < n; number++ {
		set, err := d.addReference(ctx, size, number)
		if err != nil {
			return nil, err
		}
		d.references[size] = append(d.references[size], set)
	}
	return d.references[size][:n], nil
}

// distinct returns the distinct things of a number of runs, the most common first.
func (d *discoveries) distinct(ctx context.Context, runs int) ([]Distinct, error) {
	near, err := d.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	runOf := make([]int, len(d.found))
	for i, it := range d.found {
		runOf[i] = it.run
	}
	list := []Distinct{}
	for _, i := range greedyCover(near, runOf) {
		list = append(list, newDistinct(d.found, i, near.of(i), runs))
	}
	orderDistinct(list)
	return list, nil
}

func (d *discoveries) neighbours(ctx context.Context) (*neighbours, error) {
	near, list := newNeighbours(len(d.found)), upTo(len(d.found))
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		near.join(i, i)
		same, err := d.things.reaching(list, i, d.threshold)
		if err != nil {
			return nil, err
		}
		for _, j := range same {
			near.join(i, j)
		}
	}
	return near, nil
}

// setMatch is the similarity of two sets: of the pairs of an optimal matching.
type setMatch struct {
	sum   float64
	pairs int
}

func (s setMatch) mean() float64 { return s.sum / float64(s.pairs) }

// matchSets matches two sets, given the similarity of each of the first with each of the second, so that its sum is the
// largest.
func matchSets(weights [][]float64, a, b int) (m setMatch) {
	for i, j := range assign(weights, a, b) {
		if j >= 0 {
			m.sum += weights[i][j]
			m.pairs++
		}
	}
	return m
}

// A collection is a list of things that can be compared with each other: purposes or options.
type collection interface {
	// similarTo returns a function of other lists of things, which is safe for several goroutines: the similarity, from
	// 0 to 1, of each of them with each of list.
	similarTo(list []int) func(of []int) ([][]float64, error)

	// reaching returns those of the things before the i-th of list, in their order, whose similarity to it is at least
	// limit, as places in list.
	reaching(list []int, i int, limit float64) ([]int, error)
}

// upTo returns the numbers 0, 1, … below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// neighbours tells which items are within the threshold of each other: a symmetric relation that
// holds of each item and itself, one bit a pair.
type neighbours struct {
	words int
	rows  []uint64
}

func newNeighbours(n int) *neighbours {
	words := (n + 63) / 64
	return &neighbours{words: words, rows: make([]uint64, n*words)}
}

func (n *neighbours) join(i, j int) {
	n.rows[i*n.words+j/64] |= 1 << (j % 64)
	n.rows[j*n.words+i/64] |= 1 << (i % 64)
}

// of returns the items within the threshold of item i, itself included, in rising order.
func (n *neighbours) of(i int) []int {
	var list []int
	for w, word := range n.rows[i*n.words : (i+1)*n.words] {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*w+bits.TrailingZeros64(word))
		}
	}
	return list
}
