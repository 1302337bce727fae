package stages

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadUpTo loads the recorded iterations before k, each in its own transaction.
func (s *State) LoadUpTo(ctx context.Context, with tracker.Viewer, recorded []schema.Iteration, k int) error {
	for s.K < k {
		err := with(func(tx *tracker.Tx) error { return s.Load(ctx, tx, recorded[s.K], k) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", s.K, err)
		}
	}
	return nil
}

// Load advances the state past a recorded iteration before upTo. It reads only what iteration upTo or a later one
// needs: the transitions and factors of the last iteration, or of all of them if they accumulate, and the options that
// can still be called.
func (s *State) Load(ctx context.Context, tx *tracker.Tx, it schema.Iteration, upTo int) error {
	last := s.K == upTo-1
	if err := s.Run.VerifyLink(s.K, s.Link, it); err != nil {
		return err
	}
	if err := s.LoadObservations(tx, it); err != nil {
		return err
	}
	if last || s.keepsMoves || NeedsAllTransitions(s.Spec()) {
		if err := s.loadState(ctx, tx, it, last); err != nil {
			return err
		}
	}
	if err := s.loadOptions(tx, it, upTo); err != nil {
		return err
	}
	s.advance(it.Link, s.State, s.data)
	return nil
}

// loadOptions loads the options of an iteration, unless neither iteration upTo nor a later one can call
// them.
func (s *State) loadOptions(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	if s.K < s.firstNeeded(upTo) {
		s.options.skip(len(it.RecordsOf(schema.KindOption)))
		return nil
	}
	learned, err := recorded.LoadOptions(tx, s.Env, it)
	if err == nil {
		s.addOptions(learned)
	}
	return err
}

// loadState reads an iteration's final state, its transition counts and, for the last one with a
// cumulative D, the accumulated dataset.
func (s *State) loadState(ctx context.Context, tx *tracker.Tx, it schema.Iteration, last bool) error {
	tally, err := recorded.LoadTally(tx, s.Env, it, func(state int) *collect.TransitionStats {
		stats := s.NewStats(state)
		stats.IgnoreOptions()
		return stats
	})
	if err == nil {
		err = tally.EndMatrix(ctx)
	}
	if err != nil {
		return err
	}
	s.State = tally.State()
	s.addMoves(tally)
	if !NeedsAllTransitions(s.Spec()) {
		if !last || s.Run.Spec.Dataset != schema.Cumulative {
			return nil
		}
		f, err := recorded.LoadOnlyFactors(tx, s.Env, s.Spec(), it)
		s.data = linalg.DatasetFromFactors(f)
		return err
	}
	var f *schema.Factors
	if LearnsFromFactors(s.Spec()) {
		own, err := recorded.LoadOnlyFactors(tx, s.Env, s.Spec(), it)
		if err != nil {
			return err
		}
		f = &own
	}
	s.keepTable(tally, f)
	return nil
}

// LoadObservations adds the observations that an iteration recorded to the environment.
func (s *State) LoadObservations(tx *tracker.Tx, it schema.Iteration) error {
	err := recorded.LoadObservations(tx, s.Env, it)
	if err == nil {
		envs.ExtendPolicies(s.Env, s.options.Options)
	}
	return err
}
