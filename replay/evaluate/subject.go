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
	Run     tracker.Run
	K       int
	Link    schema.Digest
	Env     envs.Env
	Options []*schema.Option
	Names   []string // of the options: K/J+ or K/J-
	Numbers []int    // of the options

	store      *tracker.Store
	iterations []schema.Iteration
	empirical  *Empirical // nil if agents act in the environment's own model
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
	env, err := recorded.NewEnv(run.Spec)
	if err != nil {
		return nil, err
	}
	s := &Subject{Run: run, Env: env, store: store}
	if run.Spec.Env.External == nil {
		err = envs.BuildModel(ctx, env)
	} else {
		err = s.observe(ctx, choice.Iteration)
	}
	if err != nil {
		return nil, err
	}
	if err := store.View(ctx, func(tx *tracker.Tx) error { return s.load(tx, choice) }); err != nil {
		return nil, tracker.WithRepairHint(err, run.ID.String()[:12])
	}
	return s, nil
}

// records returns the records of the iterations up to K, with the environment in which agents learn.
func (s *Subject) records(ctx context.Context) *recorded.Records {
	return &recorded.Records{Run: s.Run, Env: s.Env, Iterations: s.iterations, View: s.store.Within(ctx)}
}

// chooseIteration sets K to the chosen iteration, or to the last one if none is.
func (s *Subject) chooseIteration(chosen *int, iterations int) error {
	s.K = max(iterations-1, 0)
	if chosen != nil {
		s.K = *chosen
	}
	if s.K < 0 || s.K >= iterations {
		return schema.Hint(fmt.Errorf("run %.7s has no iteration %d: %w", s.Run.ID, s.K, tracker.ErrMissing),
			"it has %d, counted from 0", iterations)
	}
	return nil
}

func (s *Subject) load(tx *tracker.Tx, choice Choice) error {
	iterations, err := tx.ReadIterations(s.Run.ID)
	if err != nil {
		return err
	}
	if err := s.chooseIteration(choice.Iteration, len(iterations)); err != nil {
		return err
	}
	s.Link, s.iterations = iterations[s.K].Link, iterations[:s.K+1]
	numbers := recorded.FirstNumbers(iterations)
	oldest := s.Run.SpecAt(s.K).FirstAvailable(s.K + 1)
	for k := range iterations[:s.K+1] {
		if k < s.K && (!choice.All || k < oldest) {
			continue
		}
		options, err := recorded.LoadOptions(tx, s.Env, iterations[k])
		if err != nil {
			return fmt.Errorf("iteration %d: %w", k, err)
		}
		for i, o := range options {
			if !o.Certificate.Null {
				s.Options = append(s.Options, o)
				s.Names = append(s.Names, fmt.Sprintf("%d/%s", k, report.OptionName(o.Purpose.J, o.Purpose.Sign)))
				s.Numbers = append(s.Numbers, numbers[k]+i)
			}
		}
	}
	return nil
}

// Describe describes the evaluated options of a run, which has a label.
func (s *Subject) Describe(label string) EvaluatedRun {
	return EvaluatedRun{Run: s.Run.ID, Label: label, K: s.K, Link: s.Link, Options: len(s.Options)}
}

// edgeBytes is the memory of an action in a state of an empirical model, in bytes.
const edgeBytes = 48

// Empirical describes the model in which agents learn if only recorded transitions are known.
type Empirical struct {
	States      int   `json:"states"`      // that were observed
	Transitions int   `json:"transitions"` // distinct ones: state, action, next state
	Steps       int64 `json:"steps"`       // in which they were recorded
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
	s.actIn(records.Env, moves)
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
