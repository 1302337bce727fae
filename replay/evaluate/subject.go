package evaluate

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Subject is an iteration whose options are evaluated.
type Subject struct {
	*recorded.Records // with the environment in which agents learn
	K                 int
	Options           []*schema.Option
	Names             []string // of the options: K/J+ or K/J-
	Numbers           []int    // of the options

	empirical *Empirical // nil if agents act in the environment's own model
}

// A Choice selects the options of a run to evaluate. The zero value selects those of the last iteration.
type Choice struct {
	Iteration *int // nil for the last one
	All       bool // also those of earlier iterations that the spec keeps
}

// Open reads options of a run. It skips those without initiation states, which cannot be chosen.
func Open(ctx context.Context, store *tracker.Store, run tracker.Run, choice Choice) (*Subject, error) {
	if err := replay.CheckRecomputable(run); err != nil {
		return nil, err
	}
	records, err := recorded.Open(store.Within(ctx), run)
	if err != nil {
		return nil, err
	}
	s := &Subject{Records: records, K: max(len(records.Iterations)-1, 0)}
	if choice.Iteration != nil {
		s.K = *choice.Iteration
	}
	if err := s.CheckIteration(s.K); err != nil {
		return nil, err
	}
	if run.Spec.Env.External == nil {
		err = envs.BuildModel(ctx, s.Env)
	} else {
		err = s.observe()
	}
	if err == nil {
		err = s.loadOptions(choice.All)
	}
	return s, err
}

// loadOptions reads the options of iteration K, and those of earlier ones that are still available if all are chosen.
func (s *Subject) loadOptions(all bool) error {
	first := s.K
	if all {
		first = min(s.K, s.SpecAt(s.K).FirstAvailable(s.K+1))
	}
	for k := first; k <= s.K; k++ {
		var options []*schema.Option
		err := s.View(func(tx *tracker.Tx) (err error) {
			options, err = recorded.LoadOptions(tx, s.Env, s.Iterations[k])
			return err
		})
		if err != nil {
			return s.WrapError(k, err)
		}
		for i, o := range options {
			if !o.Certificate.Null {
				s.Options = append(s.Options, o)
				s.Names = append(s.Names, fmt.Sprintf("%d/%s", k, report.OptionName(o.Purpose.J, o.Purpose.Sign)))
				s.Numbers = append(s.Numbers, s.FirstNumber(k)+i)
			}
		}
	}
	return nil
}

// Describe describes the evaluated options of a run, which has a label.
func (s *Subject) Describe(label string) EvaluatedRun {
	return EvaluatedRun{Run: s.Run.ID, Label: label, K: s.K, Link: s.Iterations[s.K].Link, Options: len(s.Options)}
}

const edgeBytes = 48 // of an action in a state of an empirical model

// Empirical describes the model in which agents learn if only recorded transitions are known.
type Empirical struct {
	States      int   `json:"states"`      // that were observed
	Transitions int   `json:"transitions"` // distinct ones: state, action, next state
	Steps       int64 `json:"steps"`       // in which they were recorded
}

// observe gives the environment the observations up to the evaluated iteration, and the model of the transitions up to
// it.
func (s *Subject) observe() (err error) {
	if s.Records, err = s.KnownAfter(s.K); err == nil {
		err = memory.Check(edgeBytes * int64(s.Env.States()) * int64(len(s.Env.Actions())))
	}
	if err != nil {
		return err
	}
	var moves envs.TransitionCounts
	for k := range s.K + 1 {
		own, err := s.TransitionCounts(k)
		if err != nil {
			return s.WrapError(k, err)
		}
		moves = moves.Merge(own)
	}
	s.actIn(s.Env, moves)
	return nil
}

// actIn makes agents act in an environment that is only observed, with a model estimated from its transitions.
// An action that was not tried in a state leaves the agent there. A state in which an episode ended, and from which no
// transition began, is never left.
func (s *Subject) actIn(env envs.Env, transitions envs.TransitionCounts) {
	s.empirical = &Empirical{States: env.States(), Transitions: len(transitions)}
	s.Env = transitions.WithModel(env, func(state int, observed envs.TransitionCounts) (branches []envs.Branch) {
		for _, t := range observed {
			branches = append(branches, envs.Branch{Next: t.Next, Weight: t.Count})
			s.empirical.Steps += t.Count
		}
		if len(branches) == 0 {
			branches = append(branches, envs.Branch{Next: int32(state), Weight: 1})
		}
		return branches
	})
}
