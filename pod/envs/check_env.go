package envs

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// CheckEnv checks an environment with a known model in every state, for the test of a package that
// makes one: that features are finite and the same when asked for again, that [Env.Potential] adds
// them up in order, that the model leads to states that there are, in agreement with Step, and that
// an episode that ends stays where it is. The error names the first state where something is wrong.
// It takes time and memory for all states and actions, and stops when ctx is done.
func CheckEnv(ctx context.Context, env Env) error {
	if _, ok := As[ModelEnv](env); !ok {
		return fmt.Errorf("%w: CheckEnv is for environments that have one", ErrModel)
	}
	if err := BuildModel(ctx, env); err != nil {
		return err
	}
	if err := checkFeatureValues(ctx, env); err != nil {
		return err
	}
	return checkModel(ctx, env)
}

// checkFeatureValues checks φ and w in every state, for a purpose in which every feature counts.
func checkFeatureValues(ctx context.Context, env Env) error {
	features := env.Features()
	phi, again := make([]float64, len(features)), make([]float64, len(features))
	purpose, w := make([]float64, len(features)), make([]float64, env.States())
	for i := range purpose {
		purpose[i] = 1 / float64(i+3)
	}
	env.Potential(purpose, w)
	for s := range env.States() {
		if s%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range again {
			again[i] = math.NaN() // a feature that is not set stays NaN
		}
		env.Observe(s, phi)
		env.Observe(s, again)
		sum := 0.0
		for i, x := range phi {
			if err := CheckFeature(features[i], x); err != nil {
				return checkError("%w, in state %d", err, s)
			}
			if math.Float64bits(x) != math.Float64bits(again[i]) {
				return checkError("feature %q is %v in state %d, and %v when it is observed again: Observe sets every "+
					"element, and depends on the state alone", features[i], x, s, again[i])
			}
			sum += float64(purpose[i] * x)
		}
		if sum != w[s] {
			return checkError("Potential gives %v in state %d, where the features add up to %v: add them in feature order, "+
				"each product rounded as in sum += float64(e[i] * phi[i])", w[s], s, sum)
		}
	}
	return nil
}

// checkModel checks the transition graph. BuildModel has checked that of a [Graph] already.
func checkModel(ctx context.Context, env Env) error {
	known, _ := As[ModelEnv](env)
	m, states := known.Model(), env.States()
	if m.States != states || m.Actions != len(env.Actions()) {
		return checkError("the model has %d states and %d actions, the environment %d and %d", m.States, m.Actions, states,
			len(env.Actions()))
	}
	if m.Deterministic() != known.Deterministic() {
		return checkError("Deterministic is %t, that of the model %t", known.Deterministic(), m.Deterministic())
	}
	steps, _ := As[SteppableEnv](env)
	episodic, _ := As[Episodic](env)
	if steps != nil && (steps.Start() < 0 || steps.Start() >= states) {
		return checkError("runs start in state %d of %d", steps.Start(), states)
	}
	for s := range states {
		if s%(contextCheckInterval/16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		over := episodic != nil && episodic.IsTerminal(s)
		for a, name := range env.Actions() {
			next := m.Next(s, a)
			if next < 0 || next >= states {
				return checkError("action %q leads from state %d to %d of %d", name, s, next, states)
			}
			if over && next != s {
				return checkError("action %q leads from state %d to %d, but the episode ends in %d: its actions stay there", name,
					s, next, s)
			}
			if steps != nil && m.Deterministic() && steps.Step(s, a) != next {
				return checkError("action %q leads from state %d to %d by Step, and to %d by the model", name, s,
					steps.Step(s, a), next)
			}
		}
	}
	return nil
}

func checkError(format string, args ...any) error {
	return fmt.Errorf("%w: the environment: "+format, append([]any{schema.ErrSpec}, args...)...)
}
