package layout

import (
	"context"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// placeComponent returns the places of a component's nodes, from −1 to 1.
func (g graph) placeComponent(ctx context.Context, members []int) ([][2]float64, error) {
	places := make([][2]float64, len(members))
	if len(members) < 2 {
		return places, nil
	}
	x, err := g.within(members).smoothest(ctx)
	if err != nil {
		return nil, err
	}
	for axis := range x {
		for i, v := range stretch(x[axis]) {
			places[i][axis] = v
		}
	}
	return places, nil
}

// stretch returns x stretched to −1…1, with the sign that makes the entry of largest magnitude positive.
func stretch(x []float64) []float64 {
	low, high := slices.Min(x), slices.Max(x)
	if high == low {
		return make([]float64, len(x))
	}
	sign := 1.0
	if -low > high {
		sign = -1
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = sign * (float64(2*(v-low))/(high-low) - 1)
	}
	return out
}

// smoothest returns the generalised eigenvectors of the Laplacian of a connected graph for the two smallest eigenvalues
// above 0, or the only one of two nodes. With the normalised Laplacian N = I − D^(−1/2) A D^(−1/2) they are
// D^(−1/2) v for the eigenvectors v of 2I − N with the largest eigenvalues but for the first, whose v is √degree.
func (g graph) smoothest(ctx context.Context) ([][]float64, error) {
	n := len(g.near)
	rows := make([]linalg.CountedRow, n)
	for i, near := range g.near {
		row := schema.SparseRow{{Feature: int32(i), Value: 1}}
		for _, j := range near {
			row = append(row, schema.RowEntry{
				Feature: int32(j), Value: 1 / math.Sqrt(float64(len(near)*len(g.near[j])))})
		}
		slices.SortFunc(row, func(a, b schema.RowEntry) int { return int(a.Feature - b.Feature) })
		rows[i] = linalg.CountedRow{Row: row, Count: 1}
	}
	d := linalg.NewDataset(n, rows)
	d.Top = min(3, n)
	f, err := linalg.Factor(ctx, linalg.Symmetric, d)
	if err != nil {
		return nil, err
	}
	x := make([][]float64, d.Top-1)
	for i, near := range g.near {
		for axis := range x {
			x[axis] = append(x[axis], f.V[i*d.Top+axis+1]/math.Sqrt(float64(len(near))))
		}
	}
	return x, nil
}
