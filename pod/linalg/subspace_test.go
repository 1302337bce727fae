package linalg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// A graph has the neighbours of each vertex.
type graph [][]int

func newGraph(n int, edges [][2]int) graph {
	g := make(graph, n)
	for _, e := range edges {
		if from, to := e[0], e[1]; from != to && !slices.Contains(g[from], to) {
			g[from], g[to] = append(g[from], to), append(g[to], from)
		}
	}
	return g
}

// newGrid returns a grid of w × h vertices; as a torus if it is closed.
func newGrid(w, h int, closed bool) graph {
	var edges [][2]int
	for i := range w * h {
		if x := i % w; x < w-1 || closed {
			edges = append(edges, [2]int{i, i - x + (x+1)%w})
		}
		if i+w < w*h || closed {
			edges = append(edges, [2]int{i, (i + w) % (w * h)})
		}
	}
	return newGraph(w*h, edges)
}

func newStar(n int) graph {
	var edges [][2]int
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{0, i})
	}
	return newGraph(n, edges)
}

// laplacian returns 2I − L of the normalised Laplacian of the vertices that have neighbours.
func (g graph) laplacian(top int) Dataset {
	var rows []CountedRow
	for i, near := range g {
		if len(near) > 0 {
			rows = append(rows, g.row(i, 1, func(j int) float64 { return 1 / math.Sqrt(float64(len(near)*len(g[j]))) }))
		}
	}
	d := NewDataset(len(g), rows)
	d.Top = top
	return d
}

// covering returns cI − L of the combinatorial Laplacian of a connected graph, centred.
func (g graph) covering(top int) (d Dataset, c float64) {
	most := 0
	for _, near := range g {
		most = max(most, len(near))
	}
	c = float64(2*most + 1)
	var rows []CountedRow
	for i, near := range g {
		rows = append(rows, g.row(i, c-float64(len(near)), func(int) float64 { return 1 }))
	}
	d = NewDataset(len(g), rows)
	d.Top, d.Centred = top, true
	return d, c
}

// row returns a row of a matrix by its entries on the diagonal and beside it.
func (g graph) row(i int, diagonal float64, beside func(j int) float64) CountedRow {
	row := schema.SparseRow{{Feature: int32(i), Value: diagonal}}
	for _, j := range g[i] {
		row = append(row, schema.RowEntry{Feature: int32(j), Value: beside(j)})
	}
	slices.SortFunc(row, func(a, b schema.RowEntry) int { return int(a.Feature - b.Feature) })
	return CountedRow{Row: row, Count: 1}
}

// errorOf returns the largest residual ‖Dᵀ(Dv) − σ²v‖ of a direction, where D is symmetric, and the largest difference
// of a scalar product of two directions from 0, or of one with itself from 1.
func errorOf(f schema.Factors) float64 {
	k, worst := f.Directions(), 0.0
	for j := range k {
		square := 0.0
		residual := make([]float64, f.Dims)
		for i, row := range f.Rows {
			p := 0.0
			for _, e := range row {
				p += e.Value * f.V[int(e.Feature)*k+j]
			}
			for _, e := range row {
				residual[e.Feature] += float64(f.Counts[i]) * p * e.Value
			}
		}
		for i, r := range residual {
			r -= f.Sigma[j] * f.Sigma[j] * f.V[i*k+j]
			square += r * r
		}
		worst = max(worst, math.Sqrt(square))
		for other := range j + 1 {
			sum := 0.0
			for i := range f.Dims {
				sum += f.V[i*k+j] * f.V[i*k+other]
			}
			if other == j {
				sum--
			}
			worst = max(worst, math.Abs(sum))
		}
	}
	return worst
}

// firstOf returns the n largest numbers.
func firstOf(n int, xs []float64) []float64 {
	slices.Sort(xs)
	slices.Reverse(xs)
	return xs[:n]
}

// TestTopDirections: σ of graphs whose eigenvalues are known, each as often as it is repeated.
func TestTopDirections(t *testing.T) {
	const n = 3000
	path := make([]float64, n) // 1 − cos(πj/(n − 1)), Chung, Spectral Graph Theory, example 1.4
	for j := range path {
		path[j] = 1 + math.Cos(math.Pi*float64(j)/(n-1))
	}
	var torus []float64 // the mean of the eigenvalues 1 − cos(2πj/n) of two cycles, Chung, example 1.5
	for i := range 50 * 50 {
		torus = append(torus, 1+(math.Cos(2*math.Pi*float64(i%50)/50)+math.Cos(2*math.Pi*float64(i/50)/50))/2)
	}
	star := make([]float64, n) // 0, 1 with multiplicity n − 2, and 2, Chung, example 1.2
	star[0] = 2
	for j := range n - 2 {
		star[j+1] = 1
	}
	var parts [][2]int // 750 paths of four vertices: 1 − cos(πj/3) of each
	for i := 0; i < n; i += 4 {
		parts = append(parts, [2]int{i, i + 1}, [2]int{i + 1, i + 2}, [2]int{i + 2, i + 3})
	}
	same := make([]float64, n/4)
	for j := range same {
		same[j] = 2
	}
	var complete [][2]int // n/(n − 1) with multiplicity n − 1, Chung, example 1.1
	for i := range 100 * 100 {
		complete = append(complete, [2]int{i / 100, i % 100})
	}
	all := make([]float64, 100)
	all[0] = 2
	for j := range 99 {
		all[j+1] = 2 - 100.0/99
	}
	for _, c := range []struct {
		name  string
		graph graph
		top   int
		sigma []float64
	}{
		{"path", newGrid(n, 1, false), 5, path},
		{"torus", newGrid(50, 50, true), 7, torus}, // λ₂ four times
		{"torus within a multiplicity", newGrid(50, 50, true), 3, torus},
		{"star", newStar(n), 40, star},
		{"one direction of a star", newStar(n), 1, star},
		{"more parts than vectors", newGraph(n, parts), 5, same},
		{"complete", newGraph(100, complete), 20, all},
		// eigsh of scipy 1.10.1, k=7, which='LA', of 2I − L of a 64 × 64 grid
		{"grid", newGrid(64, 64, false), 7, []float64{2, 1.9993833466676887, 1.9993833466676887, 1.998756921218926,
			1.9975352753316343, 1.9975352753316343, 1.9968942561871685}},
	} {
		f, err := Factor(context.Background(), Symmetric, c.graph.laplacian(c.top))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for j, want := range firstOf(c.top, c.sigma) {
			if math.Abs(f.Sigma[j]-want) > 1e-12 {
				t.Errorf("%s: σ %d is %v, want %v", c.name, j+1, f.Sigma[j], want)
			}
		}
		if e := errorOf(f); e > 4e-12 {
			t.Errorf("%s: an error of %v", c.name, e)
		}
	}
}

// TestTopOfCovering: the combinatorial Laplacian of a grid has the sums of the eigenvalues 2 − 2cos(πj/n) of two
// paths. A path's Fiedler vector is cos(π(i + ½)/n) (Fiedler, Czechoslovak Mathematical Journal 23, 1973).
func TestTopOfCovering(t *testing.T) {
	const n = 2500
	for _, w := range []int{50, 25, n} {
		d, c := newGrid(w, n/w, false).covering(1)
		f, err := Factor(context.Background(), Symmetric, d)
		if err != nil {
			t.Fatal(err)
		}
		want := c - 2 + 2*math.Cos(math.Pi/float64(max(w, n/w)))
		if math.Abs(f.Sigma[0]-want) > 1e-11 || errorOf(f) > 1e-10 || !f.Centred {
			t.Errorf("%d columns: σ %v, want %v; an error of %v", w, f.Sigma[0], want, errorOf(f))
		}
		for i, x := range f.V {
			if w == n && math.Abs(x-math.Cos(math.Pi*(float64(i)+0.5)/n)/math.Sqrt(n/2)) > 1e-6 {
				t.Fatalf("entry %d of a path's Fiedler vector is %v", i, x)
			}
		}
	}
}

// TestTopIsThatOfAll: the first directions of any graph have the σ that the decomposition of the whole matrix has.
func TestTopIsThatOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "vertices")
		vertex := rapid.IntRange(0, n-1)
		var edges [][2]int
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			edges = append(edges, [2]int{vertex.Draw(t, "from"), vertex.Draw(t, "to")})
		}
		d := newGraph(n, edges).laplacian(rapid.IntRange(1, n).Draw(t, "top"))
		top, err := Factor(context.Background(), Symmetric, d)
		if err != nil {
			t.Fatal(err)
		}
		d.Top = 0
		all, err := Factor(context.Background(), Symmetric, d)
		if err != nil {
			t.Fatal(err)
		}
		for j, sigma := range top.Sigma {
			if math.Abs(sigma-all.Sigma[j]) > 1e-12 {
				t.Errorf("σ %d is %v, want %v", j+1, sigma, all.Sigma[j])
			}
		}
		if e := errorOf(top); e > 4e-12 {
			t.Errorf("an error of %v", e)
		}
	})
}

// TestTopOfMoreThanChange: where fewer columns than directions are not 0, V continues with unit vectors, of σ 0.
func TestTopOfMoreThanChange(t *testing.T) {
	f, err := Factor(context.Background(), Symmetric, newGraph(9, [][2]int{{1, 2}, {5, 6}, {6, 7}}).laplacian(8))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2, 2, 1, 0, 0, 0, 0, 0} // of a pair 2 and 0, of a path of three 2, 1 and 0
	for j, x := range f.Sigma {
		if math.Abs(x-want[j]) > 1e-14 || want[j] == 0 && x != 0 {
			t.Errorf("σ is %v, want %v", f.Sigma, want)
		}
	}
	if e := errorOf(f); e > 1e-14 || f.Total != 5 {
		t.Errorf("an error of %v, %d rows", e, f.Total)
	}
	f, err = Factor(context.Background(), Symmetric, Dataset{Dims: 3, Top: 2})
	if err != nil || f.Sigma[0] != 0 || f.V[0] != 1 {
		t.Errorf("%v, %v of a D without rows", f, err)
	}
}

// TestTopEnds: the method ends with the error of its caller, and with one of its own if it does not converge.
func TestTopEnds(t *testing.T) {
	stop := errors.New("stop")
	d := NewDecomposition(Symmetric, newGrid(40, 40, false).laplacian(7))
	ticks := 0
	_, err := d.Run(func(done, total int64) error {
		if ticks++; ticks > 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("%v, want the error of the tick", err)
	}
	a, _, err := newSparseSymmetric(newGrid(40, 40, false).laplacian(7))
	if err != nil {
		t.Fatal(err)
	}
	s := newSubspace(&watch{tick: func(int64, int64) error { return nil }}, a, false, 7)
	s.products = maxProducts
	if err := s.iterate(); !errors.Is(err, ErrNoConvergence) || schema.Remedy(err) == "" {
		t.Errorf("%v, want ErrNoConvergence with a remedy", err)
	}
}

// TestTopOfNotSymmetric: rows that are not those of a symmetric matrix with its largest entries on the diagonal are
// refused, whatever they are.
func TestTopOfNotSymmetric(t *testing.T) {
	row := func(xs ...float64) CountedRow { return CountedRow{schema.NewSparseRow(xs), 1} }
	for name, rows := range map[string][]CountedRow{
		"one of two rows":      {row(2, 1)},
		"other entries":        {row(2, 1), row(1.5, 2)},
		"one entry":            {row(2, 1), row(0, 2)},
		"the wrong diagonal":   {row(1, 2), row(1, 2)},
		"more than one of one": {row(2, 0), row(2, 0)},
		"two of one":           {row(2, 0), row(3, 0)},
	} {
		d := NewDataset(2, rows)
		d.Top = 1
		if _, err := Factor(context.Background(), Symmetric, d); !errors.Is(err, errNotSymmetric) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkTopDirections computes 7 directions of the normalised Laplacian of grids.
func BenchmarkTopDirections(b *testing.B) { benchmarkTop(b, 7) }

// BenchmarkFiftyDirections computes 50 directions of the same matrices.
func BenchmarkFiftyDirections(b *testing.B) { benchmarkTop(b, 50) }

func benchmarkTop(b *testing.B, top int) {
	for _, size := range [][2]int{{32, 32}, {64, 32}, {64, 64}, {128, 64}, {128, 128}} {
		b.Run(fmt.Sprintf("states=%d", size[0]*size[1]), func(b *testing.B) {
			d := newGrid(size[0], size[1], false).laplacian(top)
			defer schematest.MeasureProcessorTime(b)()
			for b.Loop() {
				if _, err := Factor(context.Background(), Symmetric, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
