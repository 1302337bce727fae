package evaluate

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// edgeBytes is the memory of an action in a state of an empirical model, in bytes.
const edgeBytes = 48

// Empirical describes the model in which agents learn if only recorded transitions are known.
type Empirical struct {
	States      int   `json:"states"`      // that were observed
	Transitions int   `json:"transitions"` // distinct ones: state, action, next state
	Steps       int64 `json:"steps"`       // in which they were recorded
}

// empirical returns the model in which agents learn, nil if it is the environment's own.
func (s *Subject) empirical() *Empirical {
	e, ok := s.Env.(*empiricalEnv)
	if !ok {
		return nil
	}
	return &Empirical{States: e.States(), Transitions: e.transitions, Steps: e.steps}
}

// observe gives the environment the observations up to the evaluated iteration, and the model of the transitions up to
// it.
func (s *Subject) observe(ctx context.Context, chosen *int) error {
	records, err := recorded.Open(s.store.Within(ctx), s.Run)
	if err == nil {
		err = s.chooseIteration(chosen, len(records.Iterations))
	}
	if err == nil {
		records, err = records.KnownAfter(s.K)
	}
	if err == nil {
		err = memory.Check(edgeBytes * int64(records.Env.States()) * int64(len(records.Env.Actions())))
	}
	if err != nil {
		return tracker.WithRepairHint(err, s.Run.ID.String()[:12])
	}
	var moves envs.TransitionCounts
	for k := range s.K + 1 {
		own, err := records.TransitionCounts(k)
		if err != nil {
			return tracker.WithRepairHint(fmt.Errorf("iteration %d: %w", k, err), s.Run.ID.String()[:12])
		}
		moves = moves.Merge(own)
	}
	s.Env = newEmpiricalEnv(records.Env, moves)
	return nil
}

// An empiricalEnv is an environment that is only observed, with a model estimated from its observed transitions, so
// that agents can learn tasks in it. An action that was not tried in a state leaves the agent there. A state in which
// an episode terminated, and from which no transition began, is never left.
type empiricalEnv struct {
	envs.Env
	transitions int   // distinct ones: state, action, next state
	steps       int64 // in which they were observed
	model       *envs.Model
}

// newEmpiricalEnv returns env with the model estimated from the transitions.
func newEmpiricalEnv(env envs.Env, transitions envs.TransitionCounts) *empiricalEnv {
	e := &empiricalEnv{Env: env, transitions: len(transitions)}
	for _, t := range transitions {
		e.steps += t.Count
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
func (e *empiricalEnv) Model() *envs.Model { return e.model }

// Deterministic implements [envs.ModelEnv].
func (e *empiricalEnv) Deterministic() bool { return e.model.Deterministic() }

func (e *empiricalEnv) Unwrap() envs.Env { return e.Env }
