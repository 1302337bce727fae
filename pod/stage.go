package pod

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// AdviceGiveStage is advice of the errors of this file.
const AdviceGiveStage = "give the external stage %s"

// ErrStageFailed reports that an external stage failed: its program or function returned an error, or an invalid
// result.
var ErrStageFailed = errors.New("the external stage failed")

// ErrStageMismatch reports that the declaration of a stage differs from the one in a run's spec.
var ErrStageMismatch = errors.New("the stage's declaration is not the run's")

// ErrNoStage is the error of a stage that is external and was not given.
var ErrNoStage = errors.New("needs its external stage")

// ErrCollectedAll is returned by a [CollectFunc] before the first step of an iteration if there are no more iterations.
// Only runs that continue until then have an end of this kind.
var ErrCollectedAll = errors.New("there are no more iterations")

// A StageFunc computes an external stage. It must be a deterministic function of its input, which it must not change or
// retain: a replay calls it again and compares, so it must return the same bits for the same input, whatever it
// computed before, in every process and on every machine. It must draw random numbers from the seed of the spec, the
// iteration and, in a learner, the purpose. A function that takes long must return when its context is done.
type StageFunc[In, Out any] func(ctx context.Context, in In) (Out, error)

// A Stage is one of the stages that can be external, with the input and the output of its function.
type Stage[In, Out any] struct{ name string }

// The stages that can be external.
var (
	CollectStage = Stage[CollectInput, CollectOutput]{schema.CollectStage}
	MethodStage  = Stage[MethodInput, MethodOutput]{schema.MethodStage}
	SelectStage  = Stage[SelectInput, []schema.Direction]{schema.SelectStage}
	LearnerStage = Stage[LearnInput, schema.ValueFunction]{schema.LearnerStage}
	MeasureStage = Stage[MeasureInput, schema.ExternalMeasures]{schema.MeasureStage}
)

// Name returns the stage's name, one of [schema.ExternalStages].
func (s Stage[In, Out]) Name() string { return s.name }

// Put sets the stage's function to compute.
func (s Stage[In, Out]) Put(x *StageFuncs, compute StageFunc[In, Out]) {
	if x.funcs == nil {
		x.funcs = map[string]any{}
	}
	x.funcs[s.name] = compute
}

// call computes the stage of a run with that spec, and checks its output. The error wraps [ErrStageFailed], or
// [ErrNoStage] if the stage was not given.
func (s Stage[In, Out]) call(
	ctx context.Context, launch StageSource, spec schema.Spec, in In, check func(Out) error,
) (out Out, err error) {
	compute, err := s.find(ctx, launch, spec)
	if err != nil {
		return out, err
	}
	if out, err = compute(ctx, in); err == nil {
		err = check(out)
	}
	if err != nil {
		err = stageError(ctx, s.name, err)
	}
	return out, err
}

// find returns the function of the stage, or [ErrNoStage] if it was not given.
func (s Stage[In, Out]) find(ctx context.Context, launch StageSource, spec schema.Spec) (StageFunc[In, Out], error) {
	funcs, err := launch(ctx)
	if err != nil {
		return nil, err
	}
	compute, _ := funcs.funcs[s.name].(StageFunc[In, Out])
	if compute == nil {
		return nil, NewNoStageError(s.name, spec)
	}
	return compute, nil
}

// A StageSource launches the external stages of an iteration when the first is needed, and returns their functions.
type StageSource func(ctx context.Context) (StageFuncs, error)

// StageFuncs holds the functions of external stages: a [StageFunc] for each stage that was given.
type StageFuncs struct {
	funcs map[string]any // by the stage's name
	Close func() error   // releases the functions' resources; nil if there are none
}

// Has reports whether s has the function of the stage with that name.
func (s StageFuncs) Has(stage string) bool { return s.funcs[stage] != nil }

// A CollectFunc returns the next steps of an iteration. How it takes them is up to it: it may explore by itself, in an
// environment of its own. It is called for the steps of an iteration in order.
type CollectFunc = StageFunc[CollectInput, CollectOutput]

// CollectInput is the input of a [CollectFunc].
type CollectInput struct {
	Spec  schema.Spec
	K     int   // iteration
	First int64 // number of the iteration's steps so far
	Steps int   // largest number of steps to return
	// State is the state before the next step. Before the iteration's first step it is the state in which
	// the previous iteration ended, or in which the run begins.
	State int
	// Env is the environment. If its states are discovered, a [envs.GrowingEnv], the function adds to what is
	// observed, in the order of the steps.
	Env     envs.Env
	Options collect.OptionSet // the action set
	Link    schema.Digest     // of the previous iteration, or the run's initial link
}

// CollectOutput holds at least one step and at most as many as requested.
type CollectOutput struct {
	// Start is the state before the iteration's first step; it is ignored in later calls.
	Start   int
	Actions []uint8
	Options []int32 // executing option of each step, or [schema.Primitive]; nil for none in any step
	// Next is the state after each step, and Ends whether an episode ended there. Both may be nil where actions
	// determine the states.
	Next    []int
	Ends    []envs.EpisodeEnd
	Starts  []int     // the states in which the next episodes begin, one for each that ended
	Rewards []float64 // of each step, if the environment declares rewards, else nil
}

// A MethodFunc computes the directions of an iteration, in place of the singular value decomposition of D.
type MethodFunc = StageFunc[MethodInput, MethodOutput]

// MethodInput is the input of a [MethodFunc].
type MethodInput struct {
	Spec schema.Spec
	K    int // iteration
	// Data is D, of Dims columns: its distinct rows in ascending lexicographic order, and how often each
	// occurs. With a cumulative dataset it has the rows of all iterations so far.
	Data     linalg.Dataset
	Features []string // their names, by column

	// Env and Transitions are set for a method that declares [schema.InputTransitions]: the environment's
	// states and their features, and the observed transitions, with a cumulative dataset those of all
	// iterations so far.
	Env         envs.Env
	Transitions envs.TransitionCounts
}

// MethodOutput is the R directions that a method discovered, at most as many as D has columns.
type MethodOutput struct {
	Sigma   []float64   // R, descending, finite, at least 0
	Vectors [][]float64 // R, each of Dims entries and length 1 to 1e-9; that of σ = 0 may be 0
}

// A SelectFunc decides which directions become options. It returns in.Directions with its decisions, as
// [SelectInput] says.
type SelectFunc = StageFunc[SelectInput, []schema.Direction]

// SelectInput is the input of a [SelectFunc].
type SelectInput struct {
	Spec    schema.Spec
	K       int // iteration
	Factors schema.Factors
	// Directions are those with σ > 0, from the largest σ on, none of them kept: each has the reason
	// [schema.Declined]. If the spec follows one side, each has the sign that built-in selections would
	// choose; otherwise it is 0, and stays so. The function sets Reason, to [schema.Kept] for those to be
	// kept, and may set Number, Nearest and, with one side, Sign.
	Directions []schema.Direction
	Options    collect.OptionSet // of earlier iterations, including those left out; Available returns the action set
}

// A LearnFunc learns the values from which a purpose's option follows: a [schema.Value] v with a finite number for each
// state, at least 0, the value of terminating (⊥); or, if the learner declares weights, a [schema.Theta] of finite
// weights. The option's policy is greedy in one backup of v, or in the q of the weights, and ⊥ in states where no
// action's value exceeds the tolerance.
type LearnFunc = StageFunc[LearnInput, schema.ValueFunction]

// A ClaimedPolicy is values or weights with the policy that the learner derives from them: for each state an action, or
// [schema.Terminate]. It is an error if podtrack derives another policy.
type ClaimedPolicy struct {
	schema.ValueFunction
	Policy []int
}

// LearnInput is the input of a [LearnFunc].
type LearnInput struct {
	Spec    schema.Spec
	K       int // iteration
	Purpose schema.Purpose
	// W is w(s) = eᵀφ(s) by state: the reward of a transition from s to s' is w(s') − w(s).
	W         []float64
	Tolerance float64 // values must exceed 0 by it to count: the spec's, or more if rounding errors are larger
	Model     *LearnModel
}

// LearnModel is the model that a learner learns on, the same one for all purposes of an iteration.
type LearnModel struct {
	States, Actions int
	// Transitions are ordered by state, action and next state. Counts of an action in a state are
	// proportional to the probabilities of its next states. An action that has no transition in a state was
	// not tried there.
	Transitions envs.TransitionCounts
	Env         envs.Env // the states' features
}

// A MeasureFunc measures an iteration, in addition to the built-in measures. It returns a finite number for each
// measure that the stage declares; an undefined one is nil or absent. It is called last in an iteration.
type MeasureFunc = StageFunc[MeasureInput, schema.ExternalMeasures]

// MeasureInput is the input of a [MeasureFunc].
type MeasureInput struct {
	Spec     schema.Spec
	K        int // iteration
	Measures schema.Measures
}

// stageFailure is the error of an external stage that failed; it is [ErrStageFailed].
type stageFailure struct {
	stage string
	err   error
}

func (s stageFailure) Error() string { return fmt.Sprintf("external %s: %v", s.stage, s.err) }

func (s stageFailure) Unwrap() []error { return []error{ErrStageFailed, s.err} }

// stageError returns the error of an external stage. It is the context's if that is done.
func stageError(ctx context.Context, stage string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return stageFailure{stage, err}
}

// NewNoStageError returns [ErrNoStage] for a stage of a spec.
func NewNoStageError(stage string, spec schema.Spec) error {
	name := string(schema.ExternalMethod)
	if p := spec.Stages.Of(stage); p != nil {
		name = p.String()
	}
	return schema.Hint(fmt.Errorf("%s %q %w", stage, name, ErrNoStage), AdviceGiveStage, stage)
}

// NewStageMismatch returns [ErrStageMismatch] for a stage that declares found, in a run whose spec has want.
func NewStageMismatch(stage string, want, found schema.StageProgram) error {
	what := fmt.Sprintf("it declares %s, the run's is %s", found, want)
	if found.String() == want.String() {
		rest := func(p schema.StageProgram) string {
			return fmt.Sprintf("%v, input %q, learns %q on the model %q", p.Params, p.Input, p.Learns, p.Model)
		}
		what = fmt.Sprintf("both are %s, and other parameters or choices differ: it declares %s, the run's has %s",
			want, rest(found), rest(want))
	}
	return schema.Hint(fmt.Errorf("%s: %w: %s", stage, ErrStageMismatch, what),
		"use the version that the run was made with, or start a new run")
}
