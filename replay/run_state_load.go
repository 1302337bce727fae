package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// loadUpTo loads the recorded iterations before k, each in its own transaction.
func (p *runState) loadUpTo(with tracker.Viewer, recorded []schema.Iteration, k int) error {
	for p.k < k {
		err := with(func(tx *tracker.Tx) error { return p.load(tx, recorded[p.k], k) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.k, err)
		}
	}
	return nil
}

// load loads a recorded iteration on the way to the state in which iteration upTo begins. That needs
// only the last one's transitions and factors, unless transition counts accumulate, and only the options
// that it or a later one can call.
func (p *runState) load(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	last := p.k == upTo-1
	if err := p.run.VerifyLink(p.k, p.link, it); err != nil {
		return err
	}
	if err := p.loadObservations(tx, it); err != nil {
		return err
	}
	if last || p.keepsMoves || needsAllTransitions(p.spec()) {
		if err := p.loadState(tx, it, last); err != nil {
			return err
		}
	}
	if err := p.loadOptions(tx, it, upTo); err != nil {
		return err
	}
	p.advance(it.Link, p.state, p.data)
	return nil
}

// loadOptions loads the options of an iteration, unless neither iteration upTo nor a later one can call
// them.
func (p *runState) loadOptions(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	if p.k < p.firstNeeded(upTo) {
		p.options.skip(len(it.RecordsOf(schema.KindOption)))
		return nil
	}
	learned, err := LoadOptions(tx, p.env, it)
	if err == nil {
		p.options.add(learned)
	}
	return err
}

// loadState reads an iteration's final state, its transition counts and, for the last one with a
// cumulative D, the accumulated dataset.
func (p *runState) loadState(tx *tracker.Tx, it schema.Iteration, last bool) error {
	tally, err := loadTally(tx, p.env, it, func(state int) *pod.TransitionStats {
		stats := p.newStats(state)
		stats.IgnoreOptions()
		return stats
	})
	if err != nil {
		return err
	}
	p.state = tally.State()
	p.addMoves(tally)
	if !needsAllTransitions(p.spec()) {
		if !last || p.run.Spec.Dataset != schema.Cumulative {
			return nil
		}
		f, err := loadOnlyFactors(tx, p.env, p.spec(), it)
		p.data = pod.DatasetFromFactors(f)
		return err
	}
	var f *schema.Factors
	if learnsFromFactors(p.spec()) {
		own, err := loadOnlyFactors(tx, p.env, p.spec(), it)
		if err != nil {
			return err
		}
		f = &own
	}
	p.keepTable(tally, f)
	return nil
}

// loadObservations adds the observations that an iteration recorded to the environment.
func (p *runState) loadObservations(tx *tracker.Tx, it schema.Iteration) error {
	err := loadObservations(tx, p.env, it)
	if err == nil {
		pod.ExtendPolicies(p.env, p.options.Options)
	}
	return err
}
