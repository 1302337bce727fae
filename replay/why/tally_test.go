package why

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTally: what is counted row by row is what an array counts, few rows or many; sums and differences, too.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SampledFrom([]int{1, 3, denseRows, 4 * denseRows}).Draw(t, "rows")
		step := rapid.IntRange(1, 97).Draw(t, "step")
		var counts [2]count
		var tallies [2]tally
		for i := range counts {
			var b tallyBuilder
			row := rapid.IntRange(0, rows-1).Draw(t, "row")
			for range rapid.SampledFrom([]int{0, 1, 2 * denseRows, 5 * denseRows}).Draw(t, "steps") {
				row = (row + step) % rows
				b.add(row)
				counts[i].add(row, 1)
			}
			tallies[i] = b.tally()
			if !slices.Equal(tallies[i], counts[i].compact()) || tallies[i].total() != counts[i].total() {
				t.Fatalf("counted %v, want %v", tallies[i], counts[i])
			}
			if !slices.Equal(tallies[i].dense(), counts[i]) {
				t.Fatalf("as an array %v, want %v", tallies[i].dense(), counts[i])
			}
		}
		sum, difference := slices.Clone(counts[0]), slices.Clone(counts[0])
		for row, n := range counts[1] {
			sum.add(row, n)
			difference.add(row, -n)
		}
		if got := tallies[0].plus(tallies[1]); !slices.Equal(got, sum.compact()) {
			t.Fatalf("the sum is %v, want %v", got, sum)
		}
		if got := tallies[0].minus(tallies[1]); !slices.Equal(got, difference.compact()) {
			t.Fatalf("the difference is %v, want %v", got, difference)
		}
	})
}
