package why

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Question is a question about an option.
type Question struct {
	Ref   report.Ref
	Depth int  // generations of ancestors, below 0 for all
	State *int // explain what the option does in this state
}

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

// audit is an audit in progress.
type audit struct {
	run   *diff.Run
	env   pod.Env
	k     int
	spec  schema.Spec // of iteration k
	depth int

	metric   *diff.Metric
	first    int // iteration from which on records are read
	factors  schema.Factors
	purposes [][]schema.Purpose // by iteration, 0…k
	begin    []int              // by iteration: number of its first option
	at       int                // of the purpose in its iteration

	rows  *rows
	walks []*stepCounts // by iteration, 0…k; nil where it was not needed
	data  *stepCounts   // the steps of D

	option *schema.Option       // nil without a model
	steps  []int32              // that the option takes from each state, and where it
	ends   []int32              // ends: see pod.Follow
	taken  schema.ValueFunction // what its policy was taken from
	moves  pod.TransitionCounts // that its learner learned from, where it knew no model
	known  *pod.Model           // nil before it was asked for

	out Report
}

// purpose returns the explained purpose.
func (a *audit) purpose() schema.Purpose { return a.purposes[a.k][a.at] }

// hasModel reports whether purposes have options, and rows have steps.
func (a *audit) hasModel() bool { return pod.HasActions(a.env) }

// firstOf returns the first iteration whose steps are in iteration k's D.
func (a *audit) firstOf(k int) int {
	if a.spec.Dataset == schema.Cumulative {
		return 0
	}
	return k
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

// nameOf returns the name of what was executing: an option's reference, an action's name, or "".
func (a *audit) nameOf(number int, actions bool) string {
	if number < 0 {
		if actions {
			return a.env.Actions()[-1-number]
		}
		return ""
	}
	k, i := a.optionPlace(number)
	return optionRef(a.run.Run, k, a.purposes[k][i])
}

// optionPlace returns the iteration of an option and its position there.
func (a *audit) optionPlace(number int) (k, i int) {
	for k+1 < len(a.begin) && a.begin[k+1] <= number {
		k++
	}
	return k, number - a.begin[k]
}
