package why

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// compact returns the tally of the rows that have steps.
func compact(c count) (t tally) {
	for row, n := range c {
		if n != 0 {
			t = append(t, rowSteps{int32(row), n})
		}
	}
	return t
}

// TestTally: what is counted row by row is what an array counts, few rows or many; sums and differences, too.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SampledFrom([]int{1, 3, 256, 1024}).Draw(t, "rows")
		step := rapid.IntRange(1, 97).Draw(t, "step")
		var want [4]count // of two sources, their sum, and their difference
		counted := sourceRows{}
		for i := range int32(2) {
			row := rapid.IntRange(0, rows-1).Draw(t, "row")
			for range rapid.SampledFrom([]int{0, 1, 512, 1280}).Draw(t, "steps") {
				row = (row + step) % rows
				counted[sourceRow{i, int32(row)}]++
				want[i].add(row, 1)
				want[2].add(row, 1)
				want[3].add(row, 1-2*int64(i))
			}
		}
		by := counted.tallies()
		for i, got := range []tally{by[0], by[1], by[0].add(by[1], 1), by[0].add(by[1], -1)} {
			if !slices.Equal(got, compact(want[i])) || got.total() != want[i].total() ||
				!slices.Equal(compact(got.dense()), got) {
				t.Fatalf("%d: counted %v, as an array %v, want %v", i, got, got.dense(), want[i])
			}
		}
	})
}
