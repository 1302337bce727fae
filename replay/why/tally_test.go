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
		var counts [2]count
		counted := sourceRows{}
		for i := range counts {
			row := rapid.IntRange(0, rows-1).Draw(t, "row")
			for range rapid.SampledFrom([]int{0, 1, 512, 1280}).Draw(t, "steps") {
				row = (row + step) % rows
				counted[sourceRow{int32(i), int32(row)}]++
				counts[i].add(row, 1)
			}
		}
		tallies := counted.tallies()
		for i, want := range counts {
			if got := tallies[i]; !slices.Equal(got, compact(want)) || got.total() != want.total() ||
				!slices.Equal(got.dense(), want) {
				t.Fatalf("counted %v, want %v", got, want)
			}
		}
		sum, difference := tallies[0].plus(tallies[1]), tallies[0].minus(tallies[1])
		for sign, got := range map[int64]tally{1: sum, -1: difference} {
			want := slices.Clone(counts[0])
			for row, n := range counts[1] {
				want.add(row, sign*n)
			}
			if !slices.Equal(got, compact(want)) {
				t.Fatalf("with sign %d the sum is %v, want %v", sign, got, want)
			}
		}
	})
}
