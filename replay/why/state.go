package why

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// ErrNoState is the error of a state that does not exist.
var ErrNoState = errors.New("has no state")

// shownMoves limits the path.
const shownMoves = 1000

// checkState returns an error if the question names a state that does not exist, or one of an environment without a
// model.
func (a *audit) checkState(_ context.Context, q Question) error {
	if q.State == nil {
		return nil
	}
	if !a.hasModel() {
		return schema.Advise(fmt.Errorf("run %s %w to act: its environment %q has no model", a.run.Label(),
			report.ErrNoOption, a.spec.Env.Name), AdviceNoState)
	}
	if s, states := *q.State, a.env.States(); s < 0 || s >= states {
		return schema.Hint(fmt.Errorf("environment %q %w %d", a.spec.Env.Name, ErrNoState, s), "its states are 0 to %d",
			states-1)
	}
	return nil
}

// answerState explains the state that the question names, if any.
func (a *audit) answerState(_ context.Context, q Question) error {
	if q.State != nil {
		a.out.State = a.explainState(*q.State)
	}
	return nil
}

func (a *audit) explainState(s int) *State {
	m := a.model()
	x := &State{
		State: s, Acts: !a.option.EndsIn(s), Value: learn.StateValues(a.env, a.option, a.taken)[s],
		Tolerance: a.option.Certificate.Tolerance,
	}
	w := make([]float64, m.States)
	a.env.Potential(a.purpose().Vector, w)
	q := learn.ActionValues(a.knew(), a.purpose().Vector, a.taken, a.spec.Gamma)
	for action, name := range a.env.Actions() {
		reward := 0.0
		m.VisitSuccessors(s, action, func(next int, p float64) { reward += p * (w[next] - w[s]) })
		x.Choices = append(x.Choices, Action{
			Action: name, Q: q[s*m.Actions+action], Reward: reward, Next: m.Next(s, action),
		})
	}
	if x.Acts {
		x.Action = a.env.Actions()[a.option.Policy[s]]
	}
	a.follow(x, w)
	return x
}

// knew returns the environment as the option's learner knew it.
func (a *audit) knew() envs.ModelEnv {
	if env, ok := envs.As[envs.ModelEnv](a.env); ok && !a.spec.EstimatesModel() {
		return env
	}
	return learn.WithObservedModel(a.env, a.moves)
}

// model returns the model of the environment, or the one that the option's learner estimated.
func (a *audit) model() *envs.Model {
	if a.known == nil {
		if env, ok := envs.As[envs.ModelEnv](a.env); ok {
			a.known = env.Model()
		} else {
			a.known = learn.WithObservedModel(a.env, a.moves).Model()
		}
	}
	return a.known
}

// follow follows the path, at most once through every state.
func (a *audit) follow(x *State, w []float64) {
	x.Path, x.End = []PathStep{}, envs.Never
	s, discount := x.State, 1.0
	for ; x.Length < len(w); x.Length++ {
		if a.option.EndsIn(s) {
			x.End = s
			return
		}
		action := int(a.option.Policy[s])
		next := a.model().Next(s, action)
		reward := w[next] - w[s]
		x.Reward, x.Discounted, discount = x.Reward+reward, x.Discounted+discount*reward, discount*a.spec.Gamma
		if x.Length < shownMoves {
			x.Path = append(x.Path, PathStep{State: s, Action: a.env.Actions()[action], Reward: reward})
		}
		s = next
	}
}
