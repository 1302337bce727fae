package recorded

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// LoadTransitionStats returns the statistics of an iteration's recorded transitions, given the
// options that it could call, or of its imported rows.
func LoadTransitionStats(
	tx *tracker.Tx, env envs.Env, options []*schema.Option, it schema.Iteration,
) (*collect.TransitionStats, error) {
	return LoadTally(tx, env, it, func(state int) *collect.TransitionStats {
		return collect.NewTransitionStats(env, collect.OptionSet{Options: options}, state)
	})
}

// LoadOptionUsage returns how the options with these records were used in an iteration. Policies that [WithoutPolicy]
// left out are not needed: the step after an option's last one shows that it ended. Only the option that was executed
// last has no such step; its policy is read.
func LoadOptionUsage(
	tx *tracker.Tx, env envs.Env, options []*schema.Option, records []schema.Digest, it schema.Iteration,
) ([]collect.Usage, error) {
	last, err := lastExecuted(tx, it)
	if err != nil {
		return nil, err
	}
	if last >= 0 && last < len(options) && options[last].Policy == nil { // LoadTransitionStats rejects other numbers
		options = slices.Clone(options)
		if options[last], err = loadOption(tx, env, records[last]); err != nil {
			return nil, err
		}
	}
	stats, err := LoadTransitionStats(tx, env, options, it)
	if err != nil {
		return nil, err
	}
	return stats.OptionUsage(), nil
}

// WithoutPolicy returns the part of an option that [LoadOptionUsage] needs.
func WithoutPolicy(env envs.Env, o *schema.Option) *schema.Option {
	if o.Certificate.MaxSteps > 0 || !envs.ActionsDetermineStates(env) {
		return o
	}
	return &schema.Option{Certificate: o.Certificate}
}

// lastExecuted returns the number of the option that executed the last recorded step, [schema.Primitive] for none.
func lastExecuted(tx *tracker.Tx, it schema.Iteration) (int, error) {
	names := it.RecordsOf(schema.KindTransitions)
	if len(names) == 0 {
		return schema.Primitive, nil
	}
	t, err := tracker.Load(tx, names[len(names)-1], schema.DecodeTransitions)
	if err != nil || len(t.Spans) == 0 {
		return schema.Primitive, err
	}
	return int(t.Spans[len(t.Spans)-1].Option), nil
}

// LoadSeen returns the statistics that the selection of an iteration with that spec depends on, nil for none.
func LoadSeen(tx *tracker.Tx, env envs.Env, spec schema.Spec, it schema.Iteration) (selection.Seen, error) {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return nil, err
	}
	comparesOptions, oneSided := rule.By.ComparesOptions(), spec.Sides == schema.OneSided
	if !comparesOptions && !oneSided {
		return nil, nil
	}
	return LoadTally(tx, env, it, func(state int) *collect.TransitionStats {
		tally := collect.NewTransitionStats(env, collect.OptionSet{}, state)
		tally.IgnoreOptions()
		if comparesOptions {
			tally.KeepTransitions()
		}
		if oneSided {
			tally.CountVisits()
		}
		return tally
	})
}

// LoadTally adds an iteration's recorded transitions to the statistics that begin returns for the state in which they
// start. If the environment has no actions it returns the statistics of the imported rows.
func LoadTally(
	tx *tracker.Tx, env envs.Env, it schema.Iteration, begin func(state int) *collect.TransitionStats,
) (*collect.TransitionStats, error) {
	if !envs.HasActions(env) {
		return loadRowStats(tx, env, it)
	}
	var tally *collect.TransitionStats
	for _, name := range it.RecordsOf(schema.KindTransitions) {
		t, err := tracker.Load(tx, name, schema.DecodeTransitions)
		if err == nil && tally == nil {
			if err = CheckStart(env, &t); err == nil {
				tally = begin(int(t.Start))
			}
		}
		if err != nil {
			return nil, err
		}
		if err := tally.Add(&t); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
	}
	if tally == nil {
		return nil, fmt.Errorf("%w: iteration without transitions", wire.ErrMalformed)
	}
	return tally, nil
}

// CheckStart returns an error unless transitions start in a state of the environment.
func CheckStart(env envs.Env, t *schema.Transitions) error {
	if t.Start >= uint64(env.States()) {
		return fmt.Errorf("%w: transitions from state %d", wire.ErrMalformed, t.Start)
	}
	return nil
}

func loadRowStats(tx *tracker.Tx, env envs.Env, it schema.Iteration) (*collect.TransitionStats, error) {
	name, err := it.OnlyRecord(schema.KindRows)
	if err != nil {
		return nil, err
	}
	rows, err := tracker.Load(tx, name, schema.DecodeRows)
	if err != nil {
		return nil, err
	}
	tally := collect.NewTransitionStats(env, collect.OptionSet{}, 0)
	if err := tally.AddRows(&rows); err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	return tally, nil
}
