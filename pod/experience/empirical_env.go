package experience

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
)

// An EmpiricalEnv is an environment that is only observed, with a model estimated from its observed transitions, so
// that agents can learn tasks in it. An action that was not tried in a state leaves the agent there. A state in which
// an episode terminated, and from which no transition began, is never left.
type EmpiricalEnv struct {
	envs.Env
	Transitions int   // distinct ones: state, action, next state
	Steps       int64 // in which they were observed
	model       *envs.Model
}

// NewEmpiricalEnv returns env with the model estimated from the transitions.
func NewEmpiricalEnv(env envs.Env, transitions envs.TransitionCounts) *EmpiricalEnv {
	e := &EmpiricalEnv{Env: env, Transitions: len(transitions)}
	for _, t := range transitions {
		e.Steps += t.Count
	}
	i := 0
	e.model = envs.NewStochasticModel(env.States(), len(env.Actions()), func(s, a int) (branches []envs.Branch) {
		for ; i < len(transitions) && int(transitions[i].State) == s && int(transitions[i].Action) == a; i++ {
			t := transitions[i]
			if last := len(branches) - 1; last >= 0 && branches[last].Next == t.Next {
				branches[last].Weight += t.Count // once as the end of an episode, and once not
				continue
			}
			branches = append(branches, envs.Branch{Next: t.Next, Weight: t.Count})
		}
		if len(branches) == 0 {
			branches = append(branches, envs.Branch{Next: int32(s), Weight: 1})
		}
		return branches
	})
	return e
}

// Model implements [envs.ModelEnv].
func (e *EmpiricalEnv) Model() *envs.Model { return e.model }

// Deterministic implements [envs.ModelEnv].
func (e *EmpiricalEnv) Deterministic() bool { return e.model.Deterministic() }

func (e *EmpiricalEnv) Unwrap() envs.Env { return e.Env }

// NewObservedModel returns the model, with the given number of states, estimated from the observed transitions. An
// action that was not tried leads nowhere, and nothing follows a transition that ended an episode.
func NewObservedModel(states, actions int, transitions envs.TransitionCounts) *envs.Model {
	return envs.NewStochasticModel(states, actions, func(s, a int) (branches []envs.Branch) {
		i, _ := slices.BinarySearchFunc(transitions, envs.CountedTransition{Transition: envs.Transition{State: int32(s),
			Action: uint8(a), Next: -1}}, envs.CompareTransitions)
		for ; i < len(transitions) && transitions[i].State == int32(s) && transitions[i].Action == uint8(a); i++ {
			branches = append(branches, envs.Branch{Next: transitions[i].Next, Weight: transitions[i].Count,
				Terminal: transitions[i].Terminal})
		}
		return branches
	})
}
