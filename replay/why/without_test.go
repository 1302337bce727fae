package why

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"gonum.org/v1/gonum/mat"
)

// TestWithout takes every source's steps out of D, row by row, and factors what
// is left, by the program's own decomposition and by gonum's.
func TestWithout(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Seed, spec.Kappa = 11, 4
			run := performed(t, spec, 3)
			for k := range run.Iterations {
				steps, judged := stepsOf(t, run, k), 0
				for _, p := range selected(t, run, k) {
					r := asked(t, run, k, p.J, p.Sign)
					judged += checkWithout(t, run, r, r.Sources, steps, func(s step) string { return s.source })
					judged += checkWithout(t, run, r, r.After, steps, func(s step) string { return s.after })
				}
				if judged == 0 && spec.Basis == schema.RightSingular {
					t.Errorf("iteration %d: nothing was held to gonum's decomposition", k)
				}
			}
		})
	}
}

// checkWithout returns the number of sources that were compared with gonum.
func checkWithout(
	t *testing.T, run *recorded.Records, r *Report, sources []Source, steps []step, of func(step) string,
) (judged int) {
	t.Helper()
	cos := naiveCos(run)
	whole, err := linalg.Factor(context.Background(), linalg.Gram, counted(rowsOf(steps)))
	ok(t, err)
	for _, s := range sources {
		left := rowsOf(slices.DeleteFunc(slices.Clone(steps), func(x step) bool { return of(x) == s.Source }))
		if len(left) == 0 {
			if *s.Without != (Ablation{}) {
				t.Errorf("%s: %+v without any data", r.Option, s.Without)
			}
			continue
		}
		f, err := linalg.Factor(context.Background(), linalg.Gram, counted(left))
		ok(t, err)
		if r.Purpose.Basis == schema.RowsOfV {
			turnAlike(f, whole)
		}
		want := nearest(r, cos, f.Sigma, func(j int) []float64 {
			return selection.NewDirections(schema.Spec{Basis: r.Purpose.Basis}, 0, f).Signed(j, 1)
		})
		if got := *s.Without; got.J != want.J || got.Sigma != want.Sigma || got.Selected != want.Selected ||
			math.Abs(got.Cosine-want.Cosine) > 1e-9 {
			t.Errorf("%s without %q: %+v, refactored %+v", r.Option, s.Source, got, want)
		}
		sigma, v := singular(t, left)
		if !near(s.Without.Sigma, sigma[s.Without.J-1], 1e-9) {
			t.Errorf("%s without %q: σ %v, by gonum %v", r.Option, s.Source, s.Without.Sigma, sigma[s.Without.J-1])
		}
		if sigma = positive(sigma); r.Purpose.Basis != schema.RightSingular || s.Without.J > len(sigma) ||
			!distinct(sigma) {
			continue
		}
		oracle := nearest(r, cos, sigma, func(j int) []float64 { return mat.Col(nil, j, v) })
		if got := s.Without; got.J != oracle.J || math.Abs(got.Cosine-oracle.Cosine) > 1e-7 {
			t.Errorf("%s without %q: %+v, by gonum %+v", r.Option, s.Source, got, oracle)
		}
		judged++
	}
	return judged
}

// turnAlike turns each column of V against which the most similar column of another V points.
func turnAlike(f, whole schema.Factors) {
	column := func(of schema.Factors, j int) *mat.VecDense {
		return mat.NewVecDense(of.Dims, mat.Col(nil, j, mat.NewDense(of.Dims, of.Dims, of.V)))
	}
	for j := range f.Dims {
		best := 0.0
		for i := range f.Dims {
			if c := mat.Dot(column(f, j), column(whole, i)); math.Abs(c) > math.Abs(best) {
				best = c
			}
		}
		for i := range f.Dims {
			f.V[i*f.Dims+j] *= math.Copysign(1, best)
		}
	}
}

// positive returns the singular values whose directions the rows show.
func positive(sigma []float64) []float64 {
	n := slices.IndexFunc(sigma, func(s float64) bool { return s <= 1e-6*sigma[0] })
	if n < 0 {
		return sigma
	}
	return sigma[:n]
}

// nearest direction to the purpose, the first on ties.
func nearest(r *Report, cos func(e, f []float64) float64, sigma []float64, direction func(j int) []float64) Ablation {
	best := Ablation{Cosine: -1}
	for j, s := range sigma {
		if c := math.Abs(cos(direction(j), r.Purpose.Vector)); c > best.Cosine+1e-12 {
			best = Ablation{Cosine: c, J: j + 1, Sigma: s, Selected: s > r.Purpose.Kappa}
		}
	}
	return best
}

// counted returns D by its distinct rows.
func counted(rows [][]float64) linalg.Dataset {
	counts, distinct := map[string]int64{}, [][]float64{}
	for _, row := range rows {
		if counts[fmt.Sprint(row)]++; counts[fmt.Sprint(row)] == 1 {
			distinct = append(distinct, row)
		}
	}
	slices.SortFunc(distinct, slices.Compare)
	d := linalg.Dataset{Dims: len(rows[0])}
	for _, row := range distinct {
		d.Rows, d.Counts = append(d.Rows, schema.NewSparseRow(row)), append(d.Counts, counts[fmt.Sprint(row)])
	}
	return d
}

// singular values of a matrix and V, by gonum.
func singular(t *testing.T, rows [][]float64) ([]float64, *mat.Dense) {
	t.Helper()
	d := mat.NewDense(max(len(rows), len(rows[0])), len(rows[0]), nil) // rows of zeros change neither Σ nor V
	for i, row := range rows {
		d.SetRow(i, row)
	}
	var svd mat.SVD
	if !svd.Factorize(d, mat.SVDThin) {
		t.Fatal("gonum did not converge")
	}
	var v mat.Dense
	svd.VTo(&v)
	return svd.Values(nil), &v
}

// distinct reports whether the directions are determined.
func distinct(sigma []float64) bool {
	for j := range len(sigma) - 1 {
		if sigma[j]-sigma[j+1] < 1e-5*sigma[0] {
			return false
		}
	}
	return true
}

// naiveCos returns cos_M with M summed over all states and actions of the ring.
func naiveCos(run *recorded.Records) func(e, f []float64) float64 {
	bits, hide := int(run.Spec.Env.Params["bits"]), int(run.Spec.Env.Params["hide"])
	var rows [][]float64
	for s := range 1 << bits {
		for _, move := range []int{-1, 1} {
			rows = append(rows, difference(s, (s+move+1<<bits)%(1<<bits), bits, hide))
		}
	}
	inner := func(e, f []float64) float64 {
		sum := 0.0
		for _, row := range rows {
			sum += product(row, e) * product(row, f)
		}
		return sum
	}
	return func(e, f []float64) float64 {
		length := math.Sqrt(inner(e, e) * inner(f, f))
		if length == 0 {
			return 0
		}
		return inner(e, f) / length
	}
}
