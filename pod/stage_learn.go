package pod

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

func init() {
	learn.RegisterLearner(schema.ExternalLearner, learn.LearnerEntry{
		Build: func(env envs.Env, spec schema.Spec, seen learn.Experience) (learn.OptionLearner, error) {
			return NewExternalLearner(env, spec, 0, seen, nil)
		},
		Check: func(env envs.Env, spec schema.Spec) error {
			if spec.IsLinear() {
				return learn.CheckWeights(env, spec)
			}
			return nil
		},
		Memory: func(states, actions, _ int64) int64 { return externalModelBytes * states * actions },
	})
}

// externalLearner is an external learner. Options follow from its values or weights as from those of the built-in
// learner of its kind.
type externalLearner struct {
	concluder
	env    envs.Env
	spec   schema.Spec
	k      int
	stages StageSource
	model  *LearnModel
	known  *envs.Model // nil if it learns on what was observed
	seen   envs.TransitionCounts
}

// A concluder derives options, by the model on which they were learned.
type concluder interface {
	Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error)
}

// NewExternalLearner returns the spec's external learner for iteration k, with its stages; without them it
// concludes options, but cannot learn. It returns [envs.ErrModel] if the learner needs a model that env does not have.
func NewExternalLearner(
	env envs.Env, spec schema.Spec, k int, seen learn.Experience, stages StageSource,
) (learn.OptionLearner, error) {
	l := &externalLearner{env: env, spec: spec, k: k, stages: stages, seen: seen.Transitions}
	declared := spec.Stages.Of(schema.LearnerStage)
	if declared == nil {
		return nil, fmt.Errorf("%w: learner %s without its declaration", schema.ErrSpec, spec.Learner)
	}
	var err error
	switch {
	case declared.Learns == schema.LearnsWeights:
		l.concluder = learn.NewLinear(env, spec, seen.Transitions)
	case declared.Model == schema.OnObservedModel:
		l.concluder, err = learn.NewEmpirical(env, spec, seen)
	default:
		if l.concluder, err = learn.BuildModelLearner(env, spec, seen); err == nil {
			l.known = l.concluder.(*learn.ModelLearner).Model()
		}
	}
	return l, err
}

// externalModelBytes is the size of a transition that a learner is given.
const externalModelBytes = 24

// Learn implements [learn.OptionLearner].
func (e *externalLearner) Learn(
	ctx context.Context, p schema.Purpose,
) (*schema.Option, schema.ValueFunction, error) {
	compute, err := LearnerStage.find(ctx, e.stages, e.spec)
	if err != nil {
		return nil, nil, err
	}
	branches := 0 // as tolerances count them
	if e.known != nil {
		branches = e.known.MaxBranches()
	}
	if e.model == nil {
		e.model = &LearnModel{States: e.env.States(), Actions: len(e.env.Actions()), Transitions: e.seen, Env: e.env}
		if e.known != nil {
			e.model.Transitions = envs.TransitionsOf(e.known)
		}
	}
	in := LearnInput{Spec: e.spec, K: e.k, Purpose: p, W: make([]float64, e.env.States()), Model: e.model}
	e.env.Potential(p.Vector, in.W)
	in.Tolerance = learn.EffectiveTolerance(e.spec, in.W, branches)
	learned, err := compute(ctx, in)
	if err != nil {
		return nil, nil, e.failed(ctx, p, err)
	}
	claimed, hasPolicy := learned.(ClaimedPolicy)
	if hasPolicy {
		learned = claimed.ValueFunction
	}
	if err := e.check(learned); err != nil {
		return nil, nil, e.failed(ctx, p, err)
	}
	switch x := learned.(type) {
	case schema.Value:
		learned = schema.Value(withoutNegativeZeros(x))
	case schema.Theta:
		x.Weights = withoutNegativeZeros(x.Weights)
		learned = x
	}
	o, err := e.concluder.Conclude(p, learned)
	if errors.Is(err, learn.ErrNoTermination) {
		err = stageError(ctx, schema.LearnerStage, schema.Hint(err, "bound the steps of options with "+
			"max_option_steps, or return values whose greedy policy terminates"))
	}
	if err != nil {
		return nil, nil, err
	}
	if hasPolicy {
		if err := e.comparePolicy(o, claimed.Policy); err != nil {
			return nil, nil, e.failed(ctx, p, err)
		}
	}
	return o, learned, nil
}

// comparePolicy returns an error unless the policy of an option is the claimed one.
func (e *externalLearner) comparePolicy(o *schema.Option, claimed []int) error {
	if len(claimed) != len(o.Policy) {
		return schema.Hint(fmt.Errorf("a policy for %d of %d states", len(claimed), len(o.Policy)),
			"return an action, or %d, for each state", schema.Terminate)
	}
	name := func(a int) string {
		if a < 0 || a >= len(e.env.Actions()) {
			return fmt.Sprint(a)
		}
		return fmt.Sprintf("%d (%s)", a, e.env.Actions()[a])
	}
	for s, a := range claimed {
		if a != int(o.Policy[s]) {
			return schema.Hint(fmt.Errorf("in state %d the policy is %s, but %s follows from the values or weights", s,
				name(a), name(int(o.Policy[s]))), "the action of most value, the lowest on ties, and %d where none is worth more "+
				"than the tolerance: leave the policy out, or change it or the values", schema.Terminate)
		}
	}
	return nil
}

// failed returns the error of the learner for a purpose.
func (e *externalLearner) failed(ctx context.Context, p schema.Purpose, err error) error {
	return stageError(ctx, schema.LearnerStage, fmt.Errorf("purpose %d, sign %+d: %w", p.J, p.Sign, err))
}

// Conclude implements [learn.OptionLearner]. It returns an error unless learned is valid for the learner.
func (e *externalLearner) Conclude(p schema.Purpose, learned schema.ValueFunction) (*schema.Option, error) {
	if err := e.check(learned); err != nil {
		return nil, fmt.Errorf("%w: %w", wire.ErrMalformed, err)
	}
	return e.concluder.Conclude(p, learned)
}

// withoutNegativeZeros returns a copy of values or weights without −0.
func withoutNegativeZeros(numbers []float64) []float64 {
	numbers = slices.Clone(numbers)
	for i := range numbers {
		numbers[i] += 0
	}
	return numbers
}

// check returns an error unless learned is of the declared kind, and its numbers are finite and, if they are values, at
// least 0.
func (e *externalLearner) check(learned schema.ValueFunction) error {
	wrong := func(remedy, format string, args ...any) error {
		return schema.Hint(fmt.Errorf(format, args...), "%s", remedy)
	}
	actions, features := len(e.env.Actions()), len(e.env.Features())
	switch x := learned.(type) {
	case schema.Value:
		if e.spec.IsLinear() {
			return wrong("return weights, or declare that it learns values", "values of a learner of weights")
		}
		if len(x) != e.env.States() {
			return wrong("return a value for each state", "values for %d of %d states", len(x), e.env.States())
		}
		for s, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				return wrong("return finite values of at least 0, the value of termination",
					"the value of state %d is %v", s, v)
			}
		}
	case schema.Theta:
		if !e.spec.IsLinear() {
			return wrong("return values, or declare that it learns weights", "weights of a learner of values")
		}
		if x.Actions != actions || x.Width != features+1 || len(x.Weights) != actions*(features+1) {
			return wrong("return a row of weights for each action: the constant's, and one for each feature",
				"%d weights in %d rows of %d; %d actions have %d each", len(x.Weights), x.Actions, x.Width, actions,
				features+1)
		}
		for i, w := range x.Weights {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return wrong("return finite weights", "weight %d of action %d is %v", i%x.Width, i/x.Width, w)
			}
		}
	default:
		return wrong("return values or weights", "%T is neither values nor weights", learned)
	}
	return nil
}
