package why

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// findPurpose selects the purposes of the requested iteration.
func (a *audit) findPurpose(context.Context) (err error) {
	a.begin = recorded.FirstNumbers(a.run.Iterations[:a.k])
	a.purposes = make([][]schema.Purpose, a.k+1)
	if a.factors, a.purposes[a.k], err = a.readSelection(a.k); err != nil {
		return err
	}
	if !a.ref.ByNumber {
		a.at, err = report.FindPurpose(a.run, a.ref)
	} else if a.at >= len(a.purposes[a.k]) {
		err = a.run.WrapError(a.k, fmt.Errorf("%w: more options than purposes", wire.ErrMalformed))
	}
	return err
}

// readSelection selects the purposes of iteration k again, and compares their number with that of
// the options.
func (a *audit) readSelection(k int) (schema.Factors, []schema.Purpose, error) {
	factors, purposes, err := a.run.Selection(k)
	if err != nil {
		return factors, nil, err
	}
	options := len(a.run.Iterations[k].RecordsOf(schema.KindOption))
	if a.hasModel() && options != len(purposes) {
		err = a.run.WrapError(k, fmt.Errorf("%w: it lists %d options, but its factors select %d purposes",
			wire.ErrMalformed, options, len(purposes)))
	}
	return factors, purposes, err
}

// readPurposes selects the purposes of iteration k, unless that is done.
func (a *audit) readPurposes(k int) (err error) {
	if a.purposes[k] == nil {
		_, a.purposes[k], err = a.readSelection(k)
	}
	return err
}

// readNames reads the purposes of the options that were executing, from which their names follow.
func (a *audit) readNames(counts *stepCounts) error {
	for _, by := range counts.by {
		for number := range by {
			if err := a.readName(number); err != nil {
				return err
			}
		}
	}
	for _, steps := range counts.first {
		for _, s := range steps {
			if err := a.readName(s.source); err != nil {
				return err
			}
		}
	}
	return nil
}

// readName reads the purposes from which an option's name follows.
func (a *audit) readName(number int) error {
	if number < 0 {
		return nil
	}
	k, _ := a.optionPlace(number)
	return a.readPurposes(k)
}

// readEarlier selects the purposes of all earlier iterations.
func (a *audit) readEarlier(context.Context) error {
	for k := range a.k {
		if err := a.readPurposes(k); err != nil {
			return err
		}
	}
	return nil
}

// walk counts the steps of all iterations that are not counted: those of D, and those of ancestors.
func (a *audit) walk(ctx context.Context) error { return a.walkFrom(ctx, 0) }

// walkFrom counts the steps of the iterations from first on that are not counted. Those of D are among them.
func (a *audit) walkFrom(ctx context.Context, first int) error {
	ofD := a.firstOf(a.k)
	if a.walks == nil {
		a.rows, a.walks, a.first = a.newRowsOfD(), make([]*stepCounts, a.k+1), ofD
	}
	if !a.hasModel() {
		a.data = newStepCounts()
		return nil
	}
	a.first = 0
	for k := first; k <= a.k; k++ {
		if a.walks[k] != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if a.walks[k], err = countSteps(a.run, a.rows, k); err != nil {
			return a.run.WrapError(k, err)
		}
		if k < ofD {
			a.walks[k].by[completed], a.walks[k].first = nil, nil // only those of D are reported
		}
	}
	if a.data != nil {
		return nil
	}
	a.data = newStepCounts()
	for _, own := range a.walks[ofD:] {
		a.data.merge(own)
	}
	return a.readNames(a.data)
}

// learned reads the option and its values or weights, if there are actions.
func (a *audit) learned(context.Context) error {
	if !a.hasModel() {
		return nil
	}
	err := a.run.View(func(tx *tracker.Tx) (err error) {
		a.option, a.taken, err = recorded.ListLearned(a.run.Iterations[a.k]).Load(tx, a.env, a.at)
		return err
	})
	if err == nil && a.spec.UsesExperience() {
		a.moves, err = a.run.Moves(a.k)
	}
	if err == nil {
		a.steps, a.ends = learn.FollowPolicy(a.model(), a.option.Policy)
	}
	return a.run.WrapError(a.k, err)
}

// newRowsOfD numbers D's rows in D's order, so that sums do not depend on which other steps are read.
func (a *audit) newRowsOfD() *rows {
	r := newRows(a.env)
	if a.hasMatrix() {
		r.byMove = a.spec.Method.IsOnStates()
		return r
	}
	for i := range a.factors.Counts {
		r.of(a.factors.Rows[i])
	}
	return r
}

// nameSteps names the sources of the steps of evidence.
func (a *audit) nameSteps(list []Evidence) {
	for i, e := range list {
		list[i].Steps = []StepRef{}
		for _, s := range e.Steps {
			s.Executing, s.Number = a.nameOf(s.source, executing), nil
			if s.source >= 0 {
				s.Number = &s.source
			}
			list[i].Steps = append(list[i].Steps, s)
		}
	}
}
