package why

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// certifyTolerance bounds the error that rounding causes in the equations of [certify], relative to the largest σ².
const certifyTolerance = 1e-9

// certify reports whether Σ, V and U are singular values and vectors of the factored rows, to rounding:
// DᵀDv = σ²v and u = Dv/σ for every direction with σ > 0, the lengths of V's columns are 1, Σσ² is the
// sum of the squares of D, and the directions of the purposes are orthogonal to all others. That
// takes much less time than computing them again. Of partial factors Σσ² says nothing, so that a larger σ may be
// missing; if D is centred, the entries of each direction must sum to 0, since D is then that of its rows. The error
// is that of ctx.
func certify(
	ctx context.Context, f schema.Factors, rows []schema.SparseRow, purposes []schema.Purpose,
) (bool, error) {
	unit := 0.0 // the largest σ², or an entry's square
	for _, s := range f.Sigma {
		unit = max(unit, s*s)
	}
	sum := 0.0
	for i, c := range f.Counts {
		for _, e := range rows[i] {
			sum += float64(c) * e.Value * e.Value
		}
	}
	column, residual := make([]float64, f.Dims), make([]float64, f.Dims)
	for j, s := range f.Sigma {
		sum -= s * s
		for i := range column {
			column[i] = f.V[i*f.Directions()+j]
		}
		if err := ctx.Err(); err != nil || !certifyColumn(f, rows, s, column, residual, unit) {
			return false, err
		}
	}
	complete := math.Abs(sum) <= certifyTolerance*float64(f.Dims)*max(unit, math.SmallestNonzeroFloat64)
	if !complete && !f.IsPartial() {
		return false, nil
	}
	return areOrthogonal(ctx, f, purposes)
}

// certifyColumn reports whether a column of V has length 1 and is a direction of the rows, with the given σ.
// It overwrites residual.
func certifyColumn(
	f schema.Factors, rows []schema.SparseRow, sigma float64, column, residual []float64, unit float64,
) bool {
	length, total := 0.0, 0.0
	for _, x := range column {
		length += x * x
		total += x
	}
	isConstant := f.Centred && sigma > 0 && math.Abs(total) > certifyTolerance*math.Sqrt(float64(f.Dims))
	if isConstant || math.Abs(length-1) > certifyTolerance {
		return false
	}
	clear(residual)
	for i, row := range rows {
		p := 0.0
		for _, e := range row {
			p += e.Value * column[e.Feature]
		}
		for _, e := range row {
			residual[e.Feature] += float64(f.Counts[i]) * p * e.Value
		}
	}
	for i, x := range residual {
		if math.Abs(x-sigma*sigma*column[i]) > certifyTolerance*unit {
			return false
		}
	}
	return true
}

// areOrthogonal reports whether the directions of purposes are orthogonal to all other columns of V. It passes over V
// once for each few of them.
func areOrthogonal(ctx context.Context, f schema.Factors, purposes []schema.Purpose) (bool, error) {
	var selected []int
	for _, p := range schema.Unsigned(purposes) {
		if p.J <= f.Directions() {
			selected = append(selected, p.J-1)
		}
	}
	k := f.Directions()
	for some := range slices.Chunk(selected, 16) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		products := make([]float64, len(some)*k)
		for i := range f.Dims {
			row := f.V[i*k : (i+1)*k]
			for n, j := range some {
				if row[j] != 0 {
					floats.AddScaled(products[n*k:(n+1)*k], row[j], row)
				}
			}
		}
		for n, j := range some {
			products[n*k+j] = 0 // the direction's own
		}
		if linalg.LargestMagnitude(products) > certifyTolerance {
			return false, nil
		}
	}
	return true, nil
}

// recomputedWork is the work up to which factors are computed again and compared bit for bit. Larger ones are only
// certified; a replay recomputes them.
const recomputedWork = 1 << 24

// recomputes reports whether factors are computed again.
func recomputes(f schema.Factors) bool {
	return !f.IsPartial() && factorWork(f.Distinct(), linalg.DatasetFromFactors(f).CountLive()) <= recomputedWork
}

// factorsHold returns the statement about valid factors of iteration k.
func (a *audit) factorsHold(k int) (string, error) {
	if !a.hasModel() {
		return "its rows and counts are the imported ones", nil
	}
	factors, _, err := a.run.Selection(k)
	switch {
	case err != nil:
		return "", err
	case a.directionsFrom() != nil:
		return fmt.Sprintf("%s: its rows and counts are those of the steps; %s made the directions, whose lengths are 1",
			schema.Verified, a.directionsFrom()), nil
	case factors.IsPartial():
		return "counting the data again gives its rows; Σ, V and U are theirs to 1e-9; only a replay shows that no larger " +
			"σ is missing", nil
	case recomputes(factors):
		return "counting and factoring the data again gives the same bits", nil
	}
	return "counting the data again gives its rows; Σ, V and U are theirs to 1e-9", nil
}

// checkFactors returns a description of what is wrong with the factors, "" if they are valid. It does not factor
// imported rows again, which a replay does: the cost grows with the third power of their features.
func (a *audit) checkFactors(ctx context.Context, k int, all count) (wrong string, err error) {
	if !a.hasModel() {
		return a.checkImportedRows()
	}
	factors, purposes, err := a.run.Selection(k)
	if err != nil {
		return "", err
	}
	same := false
	if a.hasMatrix() {
		if same, err = a.sameMatrix(ctx, k, factors); err != nil {
			return "", err
		}
	} else {
		same = a.sameCounts(factors, all)
	}
	if !same {
		return "its rows and counts are not those of the steps", nil
	}
	spec := a.run.SpecAt(k)
	if a.directionsFrom() != nil {
		if err := pod.CheckExternalFactors(spec, factors); err != nil {
			wrong = err.Error()
		}
		return wrong, nil
	}
	if !recomputes(factors) {
		holds, err := certify(ctx, factors, linalg.FactoredDataset(spec, factors).Rows, purposes)
		if !holds {
			wrong = "its Σ, V and U are not those of its rows"
		}
		return wrong, err
	}
	f, err := linalg.Factor(ctx, pod.FactoringOf(a.env, spec), linalg.DatasetFromFactors(factors))
	if err != nil {
		return "", fmt.Errorf("factor D of iteration %d again: %w", k, err)
	}
	if !slices.Equal(f.Sigma, factors.Sigma) || !slices.Equal(f.V, factors.V) {
		return "its Σ, V and U are not those of its rows", nil
	}
	return "", nil
}

// sameCounts compares D's distinct rows with those of the steps.
func (a *audit) sameCounts(f schema.Factors, all count) bool {
	if all.total() != f.Total {
		return false
	}
	for i, n := range f.Counts {
		if at(all, a.rows.of(f.Rows[i])) != n {
			return false
		}
	}
	return true
}

// checkImportedRows compares D with the imported rows.
func (a *audit) checkImportedRows() (wrong string, err error) {
	name, err := a.run.Iterations[a.k].OnlyRecord(schema.KindRows)
	if err != nil {
		return "", a.run.WrapError(a.k, err)
	}
	err = a.run.View(func(tx *tracker.Tx) error {
		given, err := tracker.Load(tx, name, schema.DecodeRows)
		if err == nil &&
			(given.Dims != a.factors.Dims || !slices.Equal(given.Counts, a.factors.Counts) ||
				!sameRows(schema.NewSparseRows(given.Dims, given.Rows), a.factors.Rows)) {
			wrong = "its rows and counts are not the imported ones"
		}
		return err
	})
	return wrong, a.run.WrapError(a.k, err)
}
