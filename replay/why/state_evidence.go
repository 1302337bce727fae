package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// explainStates finds the transitions behind a purpose that is a direction of a matrix over states.
func (a *audit) explainStates(ctx context.Context, q Question) error {
	if !a.onStates() {
		return nil
	}
	if err := a.walk(ctx, q); err != nil {
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
			Row: a.rows.vectors[row].Dense(a.factors.Dims)}
		x.From, x.To = &x.Steps[0].State, &x.Steps[0].Next
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(x, y Evidence) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Product, y.Product))
	})
	a.out.Evidence = list
	a.nameSteps(list)
	return nil
}

// sharesOfSteps returns the shares of steps for a purpose e of iteration k, given those of its D.
func (a *audit) sharesOfSteps(ctx context.Context, k int, e []float64, d *stepCounts) (*stepShares, error) {
	return shareFuncs[a.run.Spec.Method](a, ctx, k, e, d)
}

// matrixWithout returns the matrix of iteration k, learned from the steps that keep keeps.
func (a *audit) matrixWithout(ctx context.Context, k int, keep func(tracedStep) bool) (pod.Dataset, error) {
	env, err := pod.NewEnvForSpec(a.run.Source.SpecAt(k))
	if err != nil {
		return pod.Dataset{}, err
	}
	builder := pod.NewMatrixBuilder(env)
	for i := a.firstOf(k); i <= k; i++ {
		steps, err := a.trace(ctx, i)
		if err != nil {
			return pod.Dataset{}, err
		}
		for _, s := range steps {
			if keep(s) {
				builder.Observe(s.move)
			}
		}
		if err := ctx.Err(); err != nil {
			return pod.Dataset{}, err
		}
	}
	return builder.Dataset(), nil
}

// matrixOf returns the matrix of iteration k, without keeping its steps in memory.
func (a *audit) matrixOf(ctx context.Context, k int) (pod.Dataset, error) {
	env, err := pod.NewEnvForSpec(a.run.Source.SpecAt(k))
	if err != nil {
		return pod.Dataset{}, err
	}
	builder := pod.NewMatrixBuilder(env)
	for i := a.firstOf(k); i <= k; i++ {
		err := a.run.View(ctx, func(tx *tracker.Tx) error {
			_, err := replay.VisitSteps(tx, a.env, a.begin[i], a.run.Iterations[i], func(s replay.Step) {
				builder.Observe(pod.Transition{State: int32(s.State), Next: int32(s.Next), Terminal: s.Terminal})
			})
			return err
		})
		if err != nil {
			return pod.Dataset{}, fmt.Errorf("run %s, iteration %d: %w", a.run.Label(), i, err)
		}
	}
	return builder.Dataset(), nil
}

// sameMatrix compares the recorded rows with those that the steps give.
func (a *audit) sameMatrix(ctx context.Context, k int, f schema.Factors) (bool, error) {
	d, err := a.matrixOf(ctx, k)
	return err == nil && d.Dims == f.Dims && sameRows(d.Rows, f.Rows) && slices.Equal(d.Counts, f.Counts), err
}

// sameRows reports whether rows are the same.
func sameRows(a, b []schema.SparseRow) bool {
	return slices.EqualFunc(a, b, slices.Equal[schema.SparseRow])
}
