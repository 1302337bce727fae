package why

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

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
