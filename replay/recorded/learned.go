package recorded

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// LearnedEntries returns an iteration's entries of value tables and weights, in option order.
func LearnedEntries(it schema.Iteration) (entries []schema.Entry) {
	for _, e := range it.Records {
		if e.Kind == schema.KindValue || e.Kind == schema.KindTheta {
			entries = append(entries, e)
		}
	}
	return entries
}

// Learned lists the records of an iteration's options, and of the values or weights behind them.
type Learned struct {
	options []schema.Digest
	entries []schema.Entry
}

// ListLearned returns the Learned of an iteration, for reading many of its options.
func ListLearned(it schema.Iteration) Learned {
	return Learned{options: it.RecordsOf(schema.KindOption), entries: LearnedEntries(it)}
}

// Load reads option i and the values or weights behind it, and checks both against the environment.
func (l Learned) Load(tx *tracker.Tx, env envs.Env, i int) (*schema.Option, schema.ValueFunction, error) {
	if i >= len(l.options) || len(l.entries) != len(l.options) {
		return nil, nil, fmt.Errorf("%w: %d options, but %d records of values or weights", wire.ErrMalformed,
			len(l.options), len(l.entries))
	}
	o, err := loadOption(tx, env, l.options[i])
	if err != nil {
		return nil, nil, err
	}
	e := l.entries[i]
	values, err := tracker.Load(tx, e.Name, func(record []byte) (schema.ValueFunction, error) {
		return schema.DecodeValueFunction(e.Kind, record)
	})
	if err != nil {
		return nil, nil, err
	}
	if err := checkLearned(o, values); err != nil {
		return nil, nil, fmt.Errorf("record %s: %w", e.Name, err)
	}
	return o, extendToKnownStates(env, o, values), nil
}

// Name returns the digest of option i, or zero if there is none.
func (l Learned) Name(i int) schema.Digest {
	if i >= len(l.options) {
		return schema.Digest{}
	}
	return l.options[i]
}

// extendToKnownStates extends an option to all known states of a growing environment. In states first observed after it
// was learned its weights determine the policy, unless that is closed. An option without weights does not act there,
// and has value 0.
func extendToKnownStates(env envs.Env, o *schema.Option, l schema.ValueFunction) schema.ValueFunction {
	more := env.States() - len(o.Policy)
	if more == 0 {
		return l
	}
	theta, linear := l.(schema.Theta)
	if linear && !o.Certificate.Closed {
		o.Theta = &theta
		envs.ExtendPolicies(env, []*schema.Option{o})
		return l
	}
	o.Policy = append(o.Policy, slices.Repeat([]int8{schema.Terminate}, more)...)
	if linear {
		return l
	}
	return append(l.(schema.Value), make(schema.Value, more)...)
}

func checkLearned(o *schema.Option, l schema.ValueFunction) error {
	switch l := l.(type) {
	case schema.Value:
		if len(l) != len(o.Policy) {
			return fmt.Errorf("%w: values for %d states", wire.ErrMalformed, len(l))
		}
	case schema.Theta:
		if l.Actions != o.Arity || l.Width != len(o.Purpose.Vector)+1 {
			return fmt.Errorf("%w: weights of %d actions and %d features", wire.ErrMalformed, l.Actions, l.Width-1)
		}
	}
	return nil
}

// Moves returns the recorded transition counts from which iteration k learned, if its learner had no model.
func (r *Records) Moves(k int) (moves envs.TransitionCounts, err error) {
	first := k
	if r.SpecAt(k).AccumulatesExperience() {
		first = 0
	}
	for i := first; i <= k; i++ {
		own, err := r.TransitionCounts(i)
		if err != nil {
			return nil, fmt.Errorf("load the transitions that iteration %d learned from: iteration %d: %w", k, i, err)
		}
		moves = moves.Merge(own)
	}
	return moves, nil
}

// TransitionCounts returns the recorded transition counts of iteration k.
func (r *Records) TransitionCounts(k int) (envs.TransitionCounts, error) {
	return tracker.Read(r.View, func(tx *tracker.Tx) (moves envs.TransitionCounts, err error) {
		for _, name := range r.Iterations[k].RecordsOf(schema.KindTransitions) {
			t, err := tracker.Load(tx, name, schema.DecodeTransitions)
			if err == nil {
				err = VisitChunk(r.Env, math.MaxInt32, &t, func(Step) {})
			}
			if err != nil {
				return nil, err
			}
			moves = moves.Merge(envs.CountTransitions(r.Env, &t))
		}
		return moves, nil
	})
}

// AllTransitionCounts returns the recorded transition counts of all iterations.
func (r *Records) AllTransitionCounts() (all envs.TransitionCounts, err error) {
	for k := range r.Iterations {
		own, err := r.TransitionCounts(k)
		if err != nil {
			return nil, r.WrapError(k, err)
		}
		all = all.Merge(own)
	}
	return all, nil
}

// LearnerEnv returns the environment as the learner of iteration k knew it, from which Q follows. Its model is the
// environment's own or, for a learner that estimates one, the model of the observed transitions.
func (r *Records) LearnerEnv(k int) (envs.ModelEnv, error) {
	if m, ok := envs.As[envs.ModelEnv](r.Env); ok && !r.SpecAt(k).EstimatesModel() {
		return m, nil
	}
	moves, err := r.Moves(k)
	if err != nil {
		return nil, err
	}
	return learn.WithObservedModel(r.Env, moves), nil
}

// LoadOptions reads the options that an iteration recorded, in order.
func LoadOptions(tx *tracker.Tx, env envs.Env, it schema.Iteration) ([]*schema.Option, error) {
	var options []*schema.Option
	thetas := ListThetas(env, it)
	for i, name := range it.RecordsOf(schema.KindOption) {
		o, err := LoadExtended(tx, env, name, thetas, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

// ListThetas returns the digests of the weights of an iteration's options if their policies must extend to states that
// are discovered later, else nil.
func ListThetas(env envs.Env, it schema.Iteration) []schema.Digest {
	if _, grows := envs.As[envs.GrowingEnv](env); !grows {
		return nil
	}
	return it.RecordsOf(schema.KindTheta)
}

// LoadExtended reads an iteration's i-th option by its digest. If thetas has its weights, they extend the policy to all
// known states.
func LoadExtended(
	tx *tracker.Tx, env envs.Env, name schema.Digest, thetas []schema.Digest, i int,
) (*schema.Option, error) {
	o, err := loadOption(tx, env, name)
	if err != nil || len(thetas) <= i || o.Certificate.Closed {
		return o, err
	}
	theta, err := tracker.Load(tx, thetas[i], schema.DecodeTheta)
	if err != nil {
		return nil, err
	}
	if err := checkLearned(o, theta); err != nil {
		return nil, fmt.Errorf("record %s: %w", thetas[i], err)
	}
	o.Theta = &theta
	envs.ExtendPolicies(env, []*schema.Option{o})
	return o, nil
}

// loadOption reads an option and checks it against the environment.
func loadOption(tx *tracker.Tx, env envs.Env, name schema.Digest) (*schema.Option, error) {
	o, err := tracker.Load(tx, name, schema.DecodeOption)
	if err != nil {
		return nil, err
	}
	_, grows := envs.As[envs.GrowingEnv](env)
	fits := len(o.Policy) == env.States() || grows && len(o.Policy) <= env.States()
	if !fits || o.Arity != len(env.Actions()) || !envs.FitsFeatures(env, len(o.Purpose.Vector)) {
		return nil, fmt.Errorf("record %s: %w: option with %d states, %d actions and %d features", name,
			wire.ErrMalformed, len(o.Policy), o.Arity, len(o.Purpose.Vector))
	}
	return &o, nil
}

// LoadPurposes returns the eigenpurposes that an iteration selected from its factors f, without their vectors, which
// [selection.Directions] has. It reads the iteration's selection record if the spec makes one, and otherwise selects
// again.
func LoadPurposes(
	tx *tracker.Tx, spec schema.Spec, it schema.Iteration, f schema.Factors,
) ([]schema.Purpose, error) {
	if !spec.RecordsSelection() {
		return selection.SignedAbove(spec, f), nil
	}
	name, err := it.OnlyRecord(schema.KindSelection)
	if err != nil {
		return nil, err
	}
	s, err := tracker.Load(tx, name, schema.DecodeSelection)
	if err != nil {
		return nil, err
	}
	purposes, err := selection.SignedKept(spec, f, s)
	if err != nil {
		err = fmt.Errorf("record %s: %w", name, err)
	}
	return purposes, err
}

// LoadSelection returns the selection of an iteration: the recorded one, or, if the spec makes no
// selection record because it selects by σ > κ, the one that follows from the iteration's factors.
func LoadSelection(tx *tracker.Tx, spec schema.Spec, it schema.Iteration) (schema.Selection, error) {
	if spec.RecordsSelection() {
		return tracker.LoadOnly(tx, it, schema.KindSelection, schema.DecodeSelection)
	}
	f, err := tracker.LoadOnly(tx, it, schema.KindFactors, schema.DecodeFactors)
	if err != nil {
		return schema.Selection{}, err
	}
	// a rule on σ alone takes too little time to be cancelled
	return selection.SelectDirections(context.Background(), nil, spec, 0, collect.OptionSet{}, f, nil)
}
