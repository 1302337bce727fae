package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadTransitionStats returns the statistics of an iteration's recorded transitions, given the
// options that it could call, or of its imported rows.
func LoadTransitionStats(
	tx *tracker.Tx, env pod.Env, options []*schema.Option, it schema.Iteration,
) (*pod.TransitionStats, error) {
	p := &runState{env: env, options: knownOptions{OptionSet: pod.OptionSet{Options: options}}}
	return p.loadStats(tx, it, false)
}

// LoadSeen returns what an iteration with that spec saw, as far as its selection depends on it; nil if it
// does not.
func LoadSeen(tx *tracker.Tx, env pod.Env, spec schema.Spec, it schema.Iteration) (pod.Seen, error) {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return nil, err
	}
	p := &runState{env: env, run: tracker.Run{Spec: spec}, keepsMoves: rule.By.ComparesOptions()}
	if !p.keepsMoves && spec.Sides != schema.OneSided {
		return nil, nil
	}
	return p.loadStats(tx, it, true)
}

// loadStats implements [LoadTransitionStats] with what the run's state accumulates. If options are
// ignored, they need not be known.
func (p *runState) loadStats(
	tx *tracker.Tx, it schema.Iteration, ignoreOptions bool,
) (*pod.TransitionStats, error) {
	if !pod.HasActions(p.env) {
		return loadRowStats(tx, p.env, it)
	}
	var tally *pod.TransitionStats
	for _, name := range it.RecordsOf(schema.KindTransitions) {
		t, err := tracker.Load(tx, name, schema.DecodeTransitions)
		if err != nil {
			return nil, err
		}
		if tally == nil {
			if tally, err = p.newRecordedStats(&t); err != nil {
				return nil, err
			}
			if ignoreOptions {
				tally.IgnoreOptions()
			}
		}
		if err := tally.Add(&t); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
	}
	if tally == nil {
		return nil, fmt.Errorf("%w: iteration without transitions", schema.ErrMalformed)
	}
	return tally, nil
}

// newRecordedStats returns statistics that start where recorded transitions do.
func (p *runState) newRecordedStats(t *schema.Transitions) (*pod.TransitionStats, error) {
	if t.Start >= uint64(p.env.States()) {
		return nil, fmt.Errorf("%w: transitions from state %d", schema.ErrMalformed, t.Start)
	}
	return p.newStats(int(t.Start)), nil
}

func loadRowStats(tx *tracker.Tx, env pod.Env, it schema.Iteration) (*pod.TransitionStats, error) {
	name, err := it.OnlyRecord(schema.KindRows)
	if err != nil {
		return nil, err
	}
	rows, err := tracker.Load(tx, name, schema.DecodeRows)
	if err != nil {
		return nil, err
	}
	tally := pod.NewTransitionStats(env, pod.OptionSet{}, 0)
	if err := tally.AddRows(&rows); err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	return tally, nil
}
