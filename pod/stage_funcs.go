package pod

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// ErrStageFailed reports that an external stage failed: its program or function returned an error, or
// something that the stage cannot return.
var ErrStageFailed = errors.New("the external stage failed")

// ErrStageMismatch reports that a stage declares something else than a run's spec has.
var ErrStageMismatch = errors.New("the stage declares something else than the run's")

// ErrNoStage is the error of a stage that is external and was not given.
var ErrNoStage = errors.New("needs its external stage")

// ErrCollectedAll is returned by a [CollectFunc] before the first step of an iteration if there are no more iterations.
// Only runs that continue until then have an end of this kind.
var ErrCollectedAll = errors.New("there are no more iterations")

// StageFuncs are what computes external stages; those that are nil are not there. Each is a deterministic
// function of its input, which it must not change or retain: it returns the same bits for the same input,
// whatever was computed before, in every process and on every machine. Replaying executes it again and
// compares. Randomness is to be drawn from the seed of the spec, the iteration and, in a learner, the
// purpose. A function that takes long returns when its context is done.
type StageFuncs struct {
	Collect CollectFunc
	Method  MethodFunc
	Select  SelectFunc
	Learn   LearnFunc
	Measure MeasureFunc
	Close   func() error // ends what computes them, nil for nothing to end
}

// A CollectFunc returns the next steps of an iteration, which it took as it likes: with its own exploration, in
// an environment of its own. It is asked for the steps of an iteration in order, from the first one on.
type CollectFunc func(ctx context.Context, in CollectInput) (CollectOutput, error)

// CollectInput is what a program that collects is told.
type CollectInput struct {
	Spec  schema.Spec
	K     int   // iteration
	First int64 // number of the iteration's steps so far
	Steps int   // how many are wanted at most
	// State is the state before the next step. Before the iteration's first step it is the state in which
	// the previous iteration ended, or in which the run begins.
	State int
	// Env is the environment. If its states are discovered, a [GrowingEnv], the function adds to what is
	// observed, in the order of the steps.
	Env     Env
	Options OptionSet     // the action set
	Link    schema.Digest // of the iteration before, or what the run begins at
}

// CollectOutput is at least one step and at most as many as were wanted.
type CollectOutput struct {
	// Start is the state before the iteration's first step; it is not looked at in later calls.
	Start   int
	Actions []uint8
	Options []int32 // the option that was executing in each step, or [schema.Primitive]; nil if there was none
	// Next is the state after each step, and Ends whether an episode ended there. Both may be nil where actions
	// determine the states.
	Next    []int
	Ends    []EpisodeEnd
	Starts  []int     // the states in which the next episodes begin, one for each that ended
	Rewards []float64 // of each step, if the environment declares rewards, else nil
}

// A MethodFunc computes the directions of an iteration, in place of the singular value decomposition of D.
type MethodFunc func(ctx context.Context, in MethodInput) (MethodOutput, error)

// MethodInput is what an iteration's directions are computed from.
type MethodInput struct {
	Spec schema.Spec
	K    int // iteration
	// Data is D, of Dims columns: its distinct rows in ascending lexicographic order, and how often each
	// occurs. With a cumulative dataset it has the rows of all iterations so far.
	Data     Dataset
	Features []string // their names, by column

	// Env and Transitions are those of a method that declares [schema.InputTransitions]: the environment's
	// states and their features, and the observed transitions; with a cumulative dataset those of all
	// iterations so far.
	Env         Env
	Transitions TransitionCounts
}

// MethodOutput is the R directions that a method discovered, at most as many as D has columns.
type MethodOutput struct {
	Sigma   []float64   // R, descending, finite, at least 0
	Vectors [][]float64 // R, each of Dims entries and length 1 to 1e-9; that of σ = 0 may be 0
}

// A SelectFunc decides which directions become options. It returns in.Directions with its decisions, as
// [SelectInput] says.
type SelectFunc func(ctx context.Context, in SelectInput) ([]schema.Direction, error)

// SelectInput is what a selection decides from.
type SelectInput struct {
	Spec    schema.Spec
	K       int // iteration
	Factors schema.Factors
	// Directions are those with σ > 0, from the largest σ on, none of them kept: each has the reason
	// [schema.Declined]. If the spec follows one side, each has the sign that built-in selections would
	// choose; otherwise it is 0, and stays so. The function sets Reason, to [schema.Kept] for those to be
	// kept, and may set Number, Nearest and, with one side, Sign.
	Directions []schema.Direction
	Options    OptionSet // the options of earlier iterations, those left out too; Available has the action set
}

// A LearnFunc learns what the option of one purpose is taken from: a [schema.Value] v with a number for
// each state, finite and at least 0, which is what terminating (⊥) is worth; or, if the learner declares
// weights, a [schema.Theta] of finite ones. The option follows from it: its policy is greedy in one backup of v,
// or in the q of the weights, and ⊥ where no action is worth more than the tolerance.
type LearnFunc func(ctx context.Context, in LearnInput) (schema.ValueFunction, error)

// A ClaimedPolicy is values or weights with the policy that a learner has from them: for each state an action, or
// [schema.Terminate]. It is compared with the one that follows, and a difference is an error.
type ClaimedPolicy struct {
	schema.ValueFunction
	Policy []int
}

// LearnInput is what an option is learned from.
type LearnInput struct {
	Spec    schema.Spec
	K       int // iteration
	Purpose schema.Purpose
	// W is w(s) = eᵀφ(s) by state: the reward of a transition from s to s' is w(s') − w(s).
	W         []float64
	Tolerance float64 // by which a value must exceed 0 to count: the spec's, or more where rounding errors are larger
	Model     *LearnModel
}

// LearnModel is the model that a learner learns on, the same one for all purposes of an iteration.
type LearnModel struct {
	States, Actions int
	// Transitions are ordered by state, action and next state. Counts of an action in a state are
	// proportional to the probabilities of its next states. An action that has no transition in a state was
	// not tried there.
	Transitions TransitionCounts
	Env         Env // the states' features
}
