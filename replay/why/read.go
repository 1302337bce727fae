package why

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// findPurpose selects the purposes of all iterations up to the requested one.
func (a *audit) findPurpose(ctx context.Context, q Question) error {
	number := 0
	for k := range a.k + 1 {
		factors, purposes, err := a.run.Selection(ctx, k)
		if err != nil {
			return err
		}
		a.factors = factors
		a.purposes, a.begin = append(a.purposes, purposes), append(a.begin, number)
		options := len(a.run.Iterations[k].RecordsOf(schema.KindOption))
		if a.hasModel() && options != len(purposes) {
			return fmt.Errorf("run %s, iteration %d: %w: it lists %d options, and its factors select %d purposes",
				a.run.Label(), k, schema.ErrMalformed, options, len(purposes))
		}
		number += options
	}
	a.at = -1
	for i, p := range a.purposes[a.k] {
		if p.J == q.Ref.J && p.Sign == q.Ref.Sign {
			a.at = i
		}
	}
	if a.at < 0 {
		return schema.Advise(fmt.Errorf("iteration %d of run %s %w %s", a.k, a.run.Label(), diff.ErrNoOption,
			report.OptionName(q.Ref.J, q.Ref.Sign)), AdviceListRejected, a.run.Label())
	}
	return nil
}

// walk counts the steps of the iterations that are needed: those of D, and those of ancestors.
func (a *audit) walk(ctx context.Context, _ Question) error {
	a.rows, a.walks, a.data = newRows(a.env), make([]*stepCounts, a.k+1), newStepCounts()
	a.first = a.firstOf(a.k)
	if !a.hasModel() {
		return nil
	}
	if a.depth != 0 {
		a.first = 0
	}
	for i := range a.factors.Counts {
		a.rows.of(a.factors.Row(i)) // in D's order, so that sums do not hang on what else is read
	}
	for k := a.first; k <= a.k; k++ {
		err := a.run.View(ctx, func(tx *tracker.Tx) (err error) {
			a.walks[k], err = countSteps(tx, a.env, a.rows, a.begin[k], k, a.run.Iterations[k])
			return err
		})
		if err != nil {
			return fmt.Errorf("run %s, iteration %d: %w", a.run.Label(), k, err)
		}
	}
	for k := a.firstOf(a.k); k <= a.k; k++ {
		a.data.merge(a.walks[k])
	}
	return nil
}

// learned reads the option and its values or weights, if there are actions.
func (a *audit) learned(ctx context.Context, _ Question) error {
	if !a.hasModel() {
		return nil
	}
	err := a.run.View(ctx, func(tx *tracker.Tx) (err error) {
		a.option, a.taken, err = replay.LoadLearned(tx, a.env, a.run.Iterations[a.k], a.at)
		return err
	})
	if err == nil && a.spec.Learner.UsesExperience() {
		a.moves, err = replay.LoadMoves(a.run.Viewer(ctx), a.env, a.run.Source, a.run.Iterations, a.k)
	}
	if err == nil {
		a.steps, a.ends = pod.FollowPolicy(a.model(), a.option.Policy)
	}
	if err != nil {
		err = fmt.Errorf("run %s, iteration %d: %w", a.run.Label(), a.k, err)
	}
	return err
}
