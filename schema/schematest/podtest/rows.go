package podtest

import (
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// Neighbour returns the state one step to the left (action 0) or right (1).
func Neighbour(s, a, bits int) int {
	n := 1 << bits
	return (s + []int{n - 1, 1}[a]) % n
}

// Difference returns φ(next) − φ(s), φ being the visible bits, the least significant one first.
func Difference(s, next, bits, hide int) (row []float64) {
	for b := hide; b < bits; b++ {
		row = append(row, float64(next>>b&1-s>>b&1))
	}
	return row
}

// Counted returns a dataset counted the plain way.
func Counted(dims int, rows [][]float64) linalg.Dataset {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, slices.Compare)
	d := linalg.Dataset{Dims: dims}
	for i, row := range rows {
		if i == 0 || !slices.Equal(row, rows[i-1]) {
			d.Rows, d.Counts = append(d.Rows, schema.NewSparseRow(row)), append(d.Counts, 0)
		}
		d.Counts[len(d.Counts)-1]++
	}
	return d
}

// Walked returns the differences of a walk of primitive actions.
func Walked(seed uint64, bits, hide, steps int) [][]float64 {
	stream := rng.NewStream(seed, 0, "test")
	s := stream.Below(1 << bits)
	var rows [][]float64
	for range steps {
		next := Neighbour(s, stream.Below(2), bits)
		rows = append(rows, Difference(s, next, bits, hide))
		s = next
	}
	return rows
}
