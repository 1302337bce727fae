package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// growing returns the environment if its states are discovered, else nil.
func (p *runState) growing() pod.GrowingEnv {
	x, _ := pod.As[pod.GrowingEnv](p.env)
	return x
}

// loadObservations adds the observations that an iteration recorded to the environment.
func (p *runState) loadObservations(tx *tracker.Tx, it schema.Iteration) error {
	err := loadObservations(tx, p.env, it)
	if err == nil {
		pod.ExtendPolicies(p.env, p.options)
	}
	return err
}

// keepTheta keeps the weights with an option whose policy must extend to states observed later.
func (p *runState) keepTheta(o *schema.Option, l schema.ValueFunction) {
	if theta, ok := l.(schema.Theta); ok && p.growing() != nil {
		theta.Weights = slices.Clone(theta.Weights)
		o.Theta = &theta
	}
}

// loadOptionOf reads an iteration's i-th option, with a policy in all states known now if there
// are weights to derive it from.
func loadOptionOf(tx *tracker.Tx, env pod.Env, it schema.Iteration, i int) (*schema.Option, error) {
	o, err := LoadOption(tx, env, it.RecordsOf(schema.KindOption)[i])
	if _, grows := pod.As[pod.GrowingEnv](env); err != nil || !grows {
		return o, err
	}
	thetas := it.RecordsOf(schema.KindTheta)
	if len(thetas) <= i {
		return o, nil
	}
	theta, err := tracker.Load(tx, thetas[i], schema.DecodeTheta)
	if err != nil {
		return nil, err
	}
	if theta.Actions != o.Arity || theta.Width != len(o.Purpose.Vector)+1 {
		return nil, fmt.Errorf("record %s: %w: weights of %d actions and %d features", thetas[i], schema.ErrMalformed,
			theta.Actions, theta.Width-1)
	}
	o.Theta = &theta
	pod.ExtendPolicies(env, []*schema.Option{o})
	return o, nil
}

func loadObservations(tx *tracker.Tx, env pod.Env, it schema.Iteration) error {
	x, ok := pod.As[pod.GrowingEnv](env)
	if !ok {
		return nil
	}
	for _, name := range it.RecordsOf(schema.KindObservations) {
		o, err := tracker.Load(tx, name, schema.DecodeObservations)
		if err != nil {
			return err
		}
		if err := x.Observed().LoadObservations(&o); err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
	}
	return nil
}

// LoadEnv returns the environment of a run with all of its recorded observations.
func LoadEnv(tx *tracker.Tx, run tracker.Run) (pod.Env, error) {
	env, err := NewEnv(run.Spec)
	if err != nil || run.Spec.Env.External == nil {
		return env, err
	}
	its, err := tx.ReadIterations(run.ID)
	if err != nil {
		return nil, err
	}
	for k, it := range its {
		if err := loadObservations(tx, env, it); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	return env, nil
}

// EnvAfter returns env, from [LoadEnv], as it was known after iteration k.
func EnvAfter(env pod.Env, its []schema.Iteration, k int, with func(func(*tracker.Tx) error) error) (pod.Env, error) {
	x, grows := pod.As[pod.GrowingEnv](env)
	if !grows {
		return env, nil
	}
	seen := 0
	err := with(func(tx *tracker.Tx) error {
		for _, it := range its[:k+1] {
			names := it.RecordsOf(schema.KindObservations)
			if len(names) == 0 {
				continue
			}
			o, err := tracker.Load(tx, names[len(names)-1], schema.DecodeObservations)
			if err != nil {
				return err
			}
			seen = int(o.First) + o.Len()
		}
		return nil
	})
	if err != nil || seen > x.States() {
		return nil, cmp.Or(err, fmt.Errorf("%w: %d observations of %d", schema.ErrMalformed, seen, x.States()))
	}
	return x.Prefix(seen), nil
}

// putObservations records the observations that first appear in the chunk.
func (it *iteration) putObservations() error {
	x := it.runState.growing()
	if x == nil {
		return nil
	}
	err := it.put(StageCollect, it.chunks, schema.KindObservations,
		x.Observed().ObservationsFrom(it.recordedStates).Encode)
	it.recordedStates, it.fingerprints = x.States(), nil
	return err
}

// discardObservations discards the iteration's observations.
func (it *iteration) discardObservations() {
	x := it.runState.growing()
	if x == nil {
		return
	}
	x.Observed().Truncate(it.initialStates)
	for _, o := range it.runState.options {
		o.Policy = o.Policy[:min(len(o.Policy), it.initialStates)]
	}
	it.recordedStates, it.fingerprints = it.initialStates, nil
}
