package evaluate

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/experience"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
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
	e, ok := s.Env.(*experience.EmpiricalEnv)
	if !ok {
		return nil
	}
	return &Empirical{States: e.States(), Transitions: e.Transitions, Steps: e.Steps}
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
	s.Env, s.Model = experience.NewEmpiricalEnv(records.Env, moves), evaluation.EmpiricalModel
	return nil
}

// checkModel returns an error unless a spec has the subject's model.
func (s *Subject) checkModel(spec evaluation.Spec) error {
	if spec.Model == s.Model {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w: an evaluation on model %q of a run with model %q", schema.ErrSpec, spec.Model,
		s.Model), "runs in environments of other programs are evaluated on the empirical model, all others on their own")
}
