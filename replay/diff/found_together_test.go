package diff

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// foundBy returns a purpose that some of n runs found.
func foundBy(n int, runs ...int) Distinct {
	d := Distinct{Found: make([]*int, n)}
	for _, run := range runs {
		d.Found[run] = new(int)
	}
	return d
}

// TestFoundTogether: what the same runs found joins first, then what most of its runs share. The heights are worked out
// by hand.
func TestFoundTogether(t *testing.T) {
	d := foundTogether([]Distinct{
		foundBy(4, 0, 1), foundBy(4, 2, 3), foundBy(4, 0, 1), foundBy(4, 0, 1, 2), foundBy(4, 2, 3), foundBy(4, 0, 1),
	})
	want := []Merge{
		{A: 0, B: 2, Runs: 2}, {A: 5, B: 6, Runs: 3}, {A: 1, B: 4, Runs: 2},
		{A: 3, B: 7, Height: 1 - 2.0/3, Runs: 4},
		{A: 8, B: 9, Height: 1 - (3*0+0.25)/4, Runs: 6}, // {0, 1, 2} and {2, 3} share one of four
	}
	if !slices.EqualFunc(d.Merges, want, func(x, y Merge) bool {
		near := math.Abs(x.Height-y.Height) < 1e-12
		x.Height, y.Height = 0, 0
		return near && x == y
	}) {
		t.Errorf("merges %+v, want %+v", d.Merges, want)
	}
	if want := []int{1, 4, 3, 5, 0, 2}; !slices.Equal(d.Leaves, want) {
		t.Errorf("leaves %v, want %v", d.Leaves, want)
	}
}

// TestFoundTogetherIsClustering: merging what the same runs found first leaves the heights of average linkage as they
// are, and every item is a leaf once.
func TestFoundTogetherIsClustering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "purposes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var list []Distinct
		for range n {
			runs := r.Perm(70)[:1+r.IntN(3)]
			list = append(list, foundBy(70, runs...), foundBy(70, runs...))
		}
		d := foundTogether(list)
		if len(d.Merges) != max(0, len(list)-1) || len(d.Leaves) != len(list) {
			t.Fatalf("%+v of %d", d, len(list))
		}
		if sorted := slices.Sorted(slices.Values(d.Leaves)); !slices.Equal(sorted, upTo(len(list))) {
			t.Fatalf("leaves %v", d.Leaves)
		}
		before := 0.0
		for _, m := range d.Merges {
			sum, pairs := 0.0, 0.0
			for _, i := range d.leavesOf(len(list), m.A) {
				for _, j := range d.leavesOf(len(list), m.B) {
					both, either := 0, 0
					for run := range 70 {
						a, b := list[i].Found[run] != nil, list[j].Found[run] != nil
						if a && b {
							both++
						}
						if a || b {
							either++
						}
					}
					sum, pairs = sum+1-float64(both)/float64(either), pairs+1
				}
			}
			if m.Height < before-1e-12 || math.Abs(sum/pairs-m.Height) > 1e-12 {
				t.Fatalf("%+v after a height of %v: the mean distance is %v", m, before, sum/pairs)
			}
			before = m.Height
		}
	})
}

// TestFoundTogetherIsBounded: more sets of runs than are clustered have no merges, and the order that they came in.
func TestFoundTogetherIsBounded(t *testing.T) {
	var list []Distinct
	for run := range maxRunSets + 1 {
		list = append(list, foundBy(maxRunSets+1, run))
	}
	if d := foundTogether(list); len(d.Merges) > 0 || !slices.Equal(d.Leaves, upTo(len(list))) {
		t.Errorf("%d merges, leaves %v", len(d.Merges), d.Leaves)
	}
}
