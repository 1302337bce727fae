package why

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrMethod is the error of a purpose that is not a direction of the rows of transitions, so that
// single transitions are not evidence for it.
var ErrMethod = errors.New("why explains the purposes of method pod alone")

// Explain audits the option that the question names, or its eigenpurpose if there is no model.
func Explain(ctx context.Context, run *diff.Run, q Question) (*Report, error) {
	if err := run.CheckIteration(q.Ref.K); err != nil {
		return nil, err
	}
	if m := run.Spec.Method; m != "" {
		return nil, schema.Advise(fmt.Errorf("run %s is of method %s: %w", run.Label(), m, ErrMethod),
			AdviceReplayIteration, run.Label(), q.Ref.K)
	}
	env, err := replay.EnvAfter(run.Env(), run.Iterations, q.Ref.K, run.Viewer(ctx))
	if err != nil {
		return nil, err
	}
	a := &audit{run: run, env: env, k: q.Ref.K, spec: run.Source.SpecAt(q.Ref.K), depth: q.Depth}
	for _, step := range []func(context.Context, Question) error{
		a.findPurpose, a.walk, a.learned, a.verifyChain, a.explain, a.answerState,
	} {
		if err := step(ctx, q); err != nil {
			return nil, a.newDamageError(err)
		}
	}
	return &a.out, nil
}

// newDamageError returns the error of a record that cannot be used, which is damage.
func (a *audit) newDamageError(err error) error {
	if !replay.IsDamage(err) || errors.Is(err, tracker.ErrDamaged) {
		return err
	}
	return schema.Advise(fmt.Errorf("%w: %w", err, tracker.ErrDamaged), AdviceReplayRun, a.run.Label())
}

// explain fills the report from what was read.
func (a *audit) explain(ctx context.Context, _ Question) error {
	p := a.purpose()
	a.out.Option, a.out.Run, a.out.K = optionRef(a.run.Run, a.k, p), a.run.ID, a.k
	if a.option != nil {
		number := a.begin[a.k] + a.at
		a.out.Number = &number
		a.out.Acts = a.describeExtent()
	}
	a.out.Purpose, a.out.Dataset, a.out.Evidence = a.describe(), a.describeData(), a.evidence()
	if err := a.sources(ctx); err != nil {
		return err
	}
	a.ancestors()
	return nil
}
