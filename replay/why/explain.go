package why

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// ErrMethod is the error of auditing a method for which this package cannot attribute the matrix to transitions.
var ErrMethod = errors.New("cannot attribute the purposes of its method to transitions")

// AdviceReplayIteration is the advice of an [ErrMethod].
const AdviceReplayIteration = "replay %s:%d, which compares its matrix, purposes and options with the recorded steps"

// Explain audits the option that the question names, or its eigenpurpose if there is no model.
func Explain(ctx context.Context, run *recorded.Records, q Question) (*Report, error) {
	return ExplainInStages(ctx, run, q, func(Stage, *Report) error { return nil })
}

// Option audits the run's option with that number, back to the first transitions. [replay.Option] has numbers.
func Option(ctx context.Context, run *replay.Run, number int) (*Report, error) {
	records, err := run.Records(ctx)
	if err != nil {
		return nil, err
	}
	return Explain(ctx, records, Question{Ref: report.Ref{Run: records.Label(), ByNumber: true, Number: number}})
}

// ExplainInStages audits like [Explain], and calls done after each stage with the report so far. The first stage
// reads no records but those of D, unless D is a method's matrix.
func ExplainInStages(
	ctx context.Context, run *recorded.Records, q Question, done func(Stage, *Report) error,
) (*Report, error) {
	a, err := newAudit(run, q)
	if err != nil {
		return nil, err
	}
	if err := checkMethod(run, a.k); err != nil {
		return nil, err
	}
	for stage, steps := range [Stages][]func(context.Context) error{
		StagePurpose:   {a.findPurpose, a.explainStates, a.explainPurpose},
		StageSources:   {a.walk, a.explainSources},
		StageAncestors: {a.readEarlier, a.explainAncestors},
		StageActs:      {a.learned, a.describeExtent},
		StageChain:     {a.verifyChain},
	} {
		for _, step := range steps {
			if q.Progress != nil {
				q.Progress(Stage(stage))
			}
			err := step(ctx)
			if recorded.IsDamage(err) { // perhaps a consequence of invalid options before, which steps name by number
				err = cmp.Or(a.readEarlier(ctx), err)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := done(Stage(stage), &a.out); err != nil {
			return nil, err
		}
	}
	return &a.out, nil
}

// checkMethod returns an ErrMethod if no evidence can be given for the purposes of iteration k.
func checkMethod(run *recorded.Records, k int) error {
	if m := run.Spec.Method; m.HasMatrix() && shareFuncs[m] == nil {
		return schema.Hint(fmt.Errorf("run %s, method %s: %w", run.Label(), m, ErrMethod), AdviceReplayIteration,
			run.Label(), k)
	}
	return nil
}

// newAudit returns an audit of which only the run and the iteration are set.
func newAudit(run *recorded.Records, q Question) (*audit, error) {
	k, at := q.Ref.K, 0 // which follows from the direction, unless the number is given
	err := replay.CheckNumerics(run.Run)
	if err == nil && q.Ref.ByNumber {
		k, at, err = report.FindOption(run, q.Ref.Number)
	}
	if err := cmp.Or(err, run.CheckIteration(k)); err != nil {
		return nil, err
	}
	known, err := run.KnownAfter(k)
	if err != nil {
		return nil, err
	}
	return &audit{run: known, env: known.Env, ref: q.Ref, k: k, at: at, spec: run.SpecAt(k)}, nil
}

// explainPurpose describes the purpose, its data, and the rows of D with the steps in which they first occurred.
func (a *audit) explainPurpose(ctx context.Context) error {
	if err := a.walkFrom(ctx, a.firstOf(a.k)); err != nil {
		return err
	}
	p := a.purpose()
	a.out.Option, a.out.Run, a.out.K = optionRef(a.run, a.k, p), a.run.ID, a.k
	if a.hasModel() {
		a.out.Number = new(a.begin[a.k] + a.at)
	}
	a.out.Sources, a.out.After, a.out.Ancestors = []Source{}, []Source{}, []Ancestor{}
	a.out.Purpose, a.out.Dataset, a.out.Evidence = a.describe(), a.describeData(), a.evidence()
	a.nameSteps(a.out.Evidence)
	return nil
}

// A Stage is a part of an audit. Stages are completed one after the other.
type Stage int

// The stages of an audit, in their order.
const (
	StagePurpose   Stage = iota // the option, its purpose, the data, and the rows of most weight
	StageSources                // the options and actions executing in the steps, and each row's first steps
	StageAncestors              // the earlier options behind the evidence
	StageActs                   // where the option acts
	StageChain                  // the verification of the records, from the data to the head
)

// Stages is the number of stages.
const Stages = int(StageChain) + 1

// String describes the work of a stage.
func (s Stage) String() string {
	return [Stages]string{"reading the purpose", "counting the steps", "following the ancestors",
		"reading the option", "verifying the records"}[s]
}

// Question is a question about an option.
type Question struct {
	Ref      report.Ref
	Progress func(Stage) // if not nil, is called before each step with its stage
}

// audit is an audit in progress.
type audit struct {
	run  *recorded.Records
	env  envs.Env
	ref  report.Ref
	k    int
	spec schema.Spec // of iteration k

	image   func([]float64) []float64 // maps vectors so that cos_M is their cosine; nil until needed
	imageOf int                       // the iteration of whose purposes, or everyIteration

	first    int // iteration from which on records are read
	factors  schema.Factors
	purposes [][]schema.Purpose // by iteration, 0…k; nil before they are needed
	begin    []int              // by iteration: number of its first option
	at       int                // of the purpose in its iteration

	rows   *rows
	traces map[int][]tracedStep // by iteration, where the order of steps counts
	own    *stepShares          // of the purpose
	walks  []*stepCounts        // by iteration, 0…k; nil where it was not needed
	data   *stepCounts          // the steps of D

	option *schema.Option        // nil without a model
	steps  []int32               // that the option takes from each state, and where it
	ends   []int32               // ends: see learn.FollowPolicy
	taken  schema.ValueFunction  // the values or weights behind its policy
	moves  envs.TransitionCounts // that its learner learned from, if it had no model
	known  *envs.Model           // nil until needed

	out Report
}

// purpose returns the explained purpose.
func (a *audit) purpose() schema.Purpose { return a.purposes[a.k][a.at] }

// hasModel reports whether purposes have options, and rows have steps.
func (a *audit) hasModel() bool { return envs.HasActions(a.env) }

// firstOf returns the first iteration whose steps are in iteration k's D.
func (a *audit) firstOf(k int) int {
	if a.spec.Dataset == schema.Cumulative {
		return 0
	}
	return k
}

// nameOf returns the name of a source: an option's reference, an action's name, or "" for no option.
func (a *audit) nameOf(number int, role role) string {
	switch {
	case number < 0 && role == executing:
		return a.env.Actions()[-1-number]
	case number < 0:
		return ""
	}
	k, i := a.optionPlace(number)
	return optionRef(a.run, k, a.purposes[k][i])
}

// optionPlace returns the iteration of an option and its position there.
func (a *audit) optionPlace(number int) (k, i int) {
	for k+1 < len(a.begin) && a.begin[k+1] <= number {
		k++
	}
	return k, number - a.begin[k]
}

// stepShares holds the shares of steps, by distinct transition and by source.
type stepShares struct {
	row []float64
	by  [roles]map[int]float64
}

// hasMatrix reports whether D is a method's matrix, whose entries are computed from the transitions.
func (a *audit) hasMatrix() bool { return a.run.Spec.Method.HasMatrix() }

// directionsFrom returns the external method that made the purposes' directions, nil for a built-in one. D is then the
// matrix of transition differences; how the method used it is unknown.
func (a *audit) directionsFrom() *schema.StageProgram { return a.spec.Stages.Of(schema.MethodStage) }

// tracedStep is a step as a method that depends on their order sees it.
type tracedStep struct {
	move   envs.Transition
	by     [roles]int32 // its sources
	row    int32
	resets bool // an episode ended with it
}
