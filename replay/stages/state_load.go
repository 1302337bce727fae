package stages

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadUpTo loads the recorded iterations before k, each in its own transaction.
func (p *State) LoadUpTo(with tracker.Viewer, recorded []schema.Iteration, k int) error {
	for p.K < k {
		err := with(func(tx *tracker.Tx) error { return p.Load(tx, recorded[p.K], k) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.K, err)
		}
	}
	return nil
}

// Load loads a recorded iteration on the way to the state in which iteration upTo begins. That needs
// only the last one's transitions and factors, unless transition counts accumulate, and only the options
// that it or a later one can call.
func (p *State) Load(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	last := p.K == upTo-1
	if err := p.Run.VerifyLink(p.K, p.Link, it); err != nil {
		return err
	}
	if err := p.LoadObservations(tx, it); err != nil {
		return err
	}
	if last || p.keepsMoves || NeedsAllTransitions(p.Spec()) {
		if err := p.loadState(tx, it, last); err != nil {
			return err
		}
	}
	if err := p.loadOptions(tx, it, upTo); err != nil {
		return err
	}
	p.advance(it.Link, p.State, p.data)
	return nil
}

// loadOptions loads the options of an iteration, unless neither iteration upTo nor a later one can call
// them.
func (p *State) loadOptions(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	if p.K < p.firstNeeded(upTo) {
		p.options.skip(len(it.RecordsOf(schema.KindOption)))
		return nil
	}
	learned, err := recorded.LoadOptions(tx, p.Env, it)
	if err == nil {
		p.options.add(learned)
	}
	return err
}

// loadState reads an iteration's final state, its transition counts and, for the last one with a
// cumulative D, the accumulated dataset.
func (p *State) loadState(tx *tracker.Tx, it schema.Iteration, last bool) error {
	tally, err := recorded.LoadTally(tx, p.Env, it, func(state int) *collect.TransitionStats {
		stats := p.NewStats(state)
		stats.IgnoreOptions()
		return stats
	})
	if err != nil {
		return err
	}
	p.State = tally.State()
	p.addMoves(tally)
	if !NeedsAllTransitions(p.Spec()) {
		if !last || p.Run.Spec.Dataset != schema.Cumulative {
			return nil
		}
		f, err := recorded.LoadOnlyFactors(tx, p.Env, p.Spec(), it)
		p.data = linalg.DatasetFromFactors(f)
		return err
	}
	var f *schema.Factors
	if LearnsFromFactors(p.Spec()) {
		own, err := recorded.LoadOnlyFactors(tx, p.Env, p.Spec(), it)
		if err != nil {
			return err
		}
		f = &own
	}
	p.keepTable(tally, f)
	return nil
}

// LoadObservations adds the observations that an iteration recorded to the environment.
func (p *State) LoadObservations(tx *tracker.Tx, it schema.Iteration) error {
	err := recorded.LoadObservations(tx, p.Env, it)
	if err == nil {
		envs.ExtendPolicies(p.Env, p.options.Options)
	}
	return err
}
