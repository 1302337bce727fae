package diff

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawRelation draws a symmetric relation of items, each related to itself, and the runs that have them.
func drawRelation(t *rapid.T) (near neighbours, runs []int) {
	n := rapid.IntRange(0, 80).Draw(t, "items")
	near = make(neighbours, n)
	most := rapid.IntRange(0, 100).Draw(t, "joined of 100")
	for i := range n {
		runs = append(runs, rapid.IntRange(0, 5).Draw(t, "run"))
		near.join(i, i)
		for j := range i {
			if rapid.IntRange(0, 99).Draw(t, "chance") < most {
				near.join(i, j)
			}
		}
	}
	slices.Sort(runs)
	return near, runs
}

func runsOf(items, runs []int) int {
	seen := map[int]bool{}
	for _, i := range items {
		seen[runs[i]] = true
	}
	return len(seen)
}

// TestGreedyCover holds the three promises, whatever the relation: representatives are apart, everything is near one,
// and nothing is found by more runs than the first.
func TestGreedyCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near, runs := drawRelation(t)
		cover := greedyCover(near, runs)
		covered := map[int]bool{}
		for at, i := range cover {
			for _, other := range cover[:at] {
				if slices.Contains(near.of(i), other) {
					t.Fatalf("%d and %d are near each other in %v", i, other, cover)
				}
			}
			for _, member := range near.of(i) {
				covered[member] = true
			}
			if at > 0 && runsOf(near.of(i), runs) > runsOf(near.of(cover[at-1]), runs) {
				t.Fatalf("%d of more runs comes after %d", i, cover[at-1])
			}
		}
		for i := range runs {
			if !covered[i] {
				t.Fatalf("%d is near none of %v", i, cover)
			}
			if n := runsOf(near.of(i), runs); n > runsOf(near.of(cover[0]), runs) {
				t.Fatalf("%d is found by %d runs, the first representative by fewer", i, n)
			}
		}
	})
}

// TestChainIsNotOnePurpose: a chain of directions 15° apart, each of another run, is not one purpose, although each
// is like the next: cos 15° = 0.966 and cos 30° = 0.866. Each but the ends is shared by three runs: b stands for a to
// c, d for c to e, and f for e and f.
func TestChainIsNotOnePurpose(t *testing.T) {
	const n = 6
	c := comparisonOf(plain(t, 2))
	d, items := c.newDirectionPool()
	for run := range n {
		x, y := math.Sincos(float64(run) * math.Pi / 12)
		d.found = append(d.found, foundItem{run: run, ref: string(rune('a' + run))})
		d.sets = append(d.sets, [][]int{{items.add([]float64{y, x})}})
	}
	got, err := d.distinct(t.Context(), n)
	ok(t, err)
	var said []string
	for _, p := range got {
		said = append(said, fmt.Sprint(p.Name, p.Runs))
	}
	if want := []string{"b3", "d3", "f2"}; !slices.Equal(said, want) {
		t.Errorf("%v, want %v", said, want)
	}
}
