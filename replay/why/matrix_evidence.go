package why

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// explainStates finds the transitions behind a purpose that is a direction of a method's matrix.
func (a *audit) explainStates(ctx context.Context) error {
	if !a.hasMatrix() {
		return nil
	}
	if err := a.walk(ctx); err != nil {
		return err
	}
	var err error
	if a.own, err = a.sharesOfSteps(ctx, a.k, a.purpose().Vector, a.data); err != nil {
		return err
	}
	all := a.data.all()
	w := newWeights(a.purpose().Vector, a.rows.vectors, all)
	list := []Evidence{}
	for row, n := range all {
		if n == 0 {
			continue
		}
		_, support := w.row(row, n)
		x := Evidence{Count: n, Product: w.reward(row), Share: a.own.row[row], Support: support, Steps: a.data.first[row],
			Row: []float64{}}
		if a.rows.byMove {
			x.From, x.To = &x.Steps[0].State, &x.Steps[0].Next
		}
		if n := len(a.purpose().Vector); n <= matrix.MaxMethodStates || !a.rows.byMove { // or else From and To tell it
			x.Row = a.rows.vectors[row].Dense(n)
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(x, y Evidence) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Product, y.Product))
	})
	a.out.Evidence = list
	return nil
}

// sharesOfSteps returns the shares of steps for a purpose e of iteration k, whose D has the steps d. Those by row are
// left out unless D is a method's matrix.
func (a *audit) sharesOfSteps(ctx context.Context, k int, e []float64, d *stepCounts) (*stepShares, error) {
	if a.hasMatrix() {
		return shareFuncs[a.run.Spec.Method](a, ctx, k, e, d)
	}
	all := d.all()
	w, s := newWeights(e, a.rows.vectors, all), newStepShares(0)
	for role, by := range d.by {
		for source, t := range by {
			if share, _ := w.of(t); share > 0 {
				s.by[role][source] = share
			}
		}
	}
	return s, nil
}

// matrixWithout returns the matrix of iteration k, learned only from the steps that keep accepts. The part that it
// learned from the factors of earlier iterations is unchanged.
func (a *audit) matrixWithout(ctx context.Context, k int, keep func(tracedStep) bool) (linalg.Dataset, error) {
	return a.buildMatrix(ctx, k, func(i int, observe func(envs.Transition, bool)) error {
		steps, err := a.trace(i)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if keep(s) {
				observe(s.move, s.resets)
			}
		}
		return ctx.Err()
	})
}

// matrixOf returns the matrix of iteration k, without keeping its steps in memory.
func (a *audit) matrixOf(ctx context.Context, k int) (linalg.Dataset, error) {
	return a.buildMatrix(ctx, k, func(i int, observe func(envs.Transition, bool)) error {
		_, err := a.run.VisitSteps(i, func(s recorded.Step) {
			observe(envs.Transition{State: int32(s.State), Next: int32(s.Next), Terminal: s.Terminal}, s.Resets)
		})
		return a.run.WrapError(i, err)
	})
}

// buildMatrix returns the matrix of iteration k, learned from the steps that the function steps passes to observe for
// each iteration of its D.
func (a *audit) buildMatrix(
	ctx context.Context, k int, steps func(i int, observe func(envs.Transition, bool)) error,
) (linalg.Dataset, error) {
	m := matrix.NewStateMatrix(a.env, a.run.SpecAt(k))
	for i := a.firstOf(k); i <= k; i++ {
		m.Begin()
		if err := steps(i, m.Observe); err != nil {
			return linalg.Dataset{}, err
		}
		if err := m.End(ctx); err != nil {
			return linalg.Dataset{}, err
		}
		if i == k {
			break
		}
		f, _, err := a.run.Selection(i)
		if err != nil {
			return linalg.Dataset{}, err
		}
		m.Discover(f)
	}
	return m.Dataset(len(a.env.Features()))
}

// sameMatrix compares the recorded rows with those that the steps give.
func (a *audit) sameMatrix(ctx context.Context, k int, f schema.Factors) (bool, error) {
	d, err := a.matrixOf(ctx, k)
	if err == nil && envs.FeaturesGrow(a.env) { // there are more of them than k knew
		env, err := a.run.EnvAfter(k)
		if err != nil {
			return false, err
		}
		d.AllFeatures = env.States()
	}
	return err == nil && d.Dims == f.Dims && slices.Equal(d.Columns, f.Columns) && d.AllFeatures == f.AllFeatures &&
		sameRows(d.Rows, f.Rows) && slices.Equal(d.Counts, f.Counts), err
}

// sameRows reports whether rows are the same.
func sameRows(a, b []schema.SparseRow) bool {
	return slices.EqualFunc(a, b, slices.Equal[schema.SparseRow])
}
