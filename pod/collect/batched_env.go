package collect

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// A BatchedEnv is a running environment that can take steps ahead of the calls of Step, many in one message. Later
// calls of Step return their results one by one, and must have the same actions. All results must be used before Reset
// is called.
type BatchedEnv interface {
	envs.RunningEnv
	// BatchSize returns the best number of steps to take at once.
	BatchSize() int
	// StepAhead takes actions that are known in advance, at least the first of them, and returns
	// the number taken. If it returns an error, no step was taken.
	StepAhead(ctx context.Context, actions []uint8) (steps int, err error)
	// WalkAhead takes steps as the agent would, and returns the number taken: 0 if the
	// environment cannot decide the first. If it returns an error, no step was taken. The
	// options of all walks are the same, apart from extensions by [envs.ExtendPolicies].
	WalkAhead(ctx context.Context, w Walk) (steps int, err error)
}

// A Walk holds everything that an agent's next decisions depend on, apart from the states.
type Walk struct {
	Steps   int // at most
	State   int // where it begins
	Options OptionSet
	Stream  rng.Stream // a copy: the agent draws from its own

	OptionProbability float64 // as in [Collector]
	Executing         int
	StepsInCall       int64

	// ByFeatures reports whether options with weights act by them in states that are discovered: θ has a weight for
	// the constant and for each observed feature.
	ByFeatures bool
}

// TakeSteps takes the actions one after the other, ahead if env can, and calls f with the
// result of each. An error has the index of the action that failed.
func TakeSteps(
	ctx context.Context, env envs.RunningEnv, actions []uint8, f func(i int, o envs.StepResult) error,
) (int, error) {
	batched, _ := env.(BatchedEnv)
	ahead := 0
	for i, a := range actions {
		if n := len(actions) - i; batched != nil && ahead == 0 && min(batched.BatchSize(), n) > 1 {
			var err error
			if ahead, err = batched.StepAhead(ctx, actions[i:i+min(batched.BatchSize(), n)]); err != nil {
				return i, err
			}
		}
		o, err := env.Step(ctx, int(a))
		if err == nil {
			err = f(i, o)
		}
		if err != nil {
			return i, err
		}
		ahead = max(ahead-1, 0)
	}
	return len(actions), nil
}

// AppendActions appends the action of each option in a state: [schema.Terminate] for one that
// cannot start there, or is left out.
func (o OptionSet) AppendActions(b []byte, state int) []byte {
	for i, option := range o.Options {
		action := int8(schema.Terminate)
		if option.CanStart(state) && !o.isLeftOut(i) {
			action = option.Policy[state]
		}
		b = append(b, uint8(action))
	}
	return b
}
