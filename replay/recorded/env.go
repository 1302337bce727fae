package recorded

import (
	"cmp"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

func LoadObservations(tx *tracker.Tx, env envs.Env, it schema.Iteration) error {
	x, ok := envs.As[envs.GrowingEnv](env)
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

// loadEnv returns the environment of a run with all of its recorded observations.
func loadEnv(tx *tracker.Tx, run tracker.Run) (envs.Env, error) {
	env, err := NewEnv(run.Spec)
	if err != nil || run.Spec.Env.External == nil {
		return env, err
	}
	its, err := tx.ReadIterations(run.ID)
	if err != nil {
		return nil, err
	}
	for k, it := range its {
		if err := LoadObservations(tx, env, it); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	return env, nil
}

// EnvAfter returns the environment as it was known after iteration k.
func (r *Records) EnvAfter(k int) (envs.Env, error) {
	x, grows := envs.As[envs.GrowingEnv](r.Env)
	if !grows {
		return r.Env, nil
	}
	seen := 0
	err := r.View(func(tx *tracker.Tx) error {
		for _, it := range r.Iterations[:k+1] {
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
		return nil, cmp.Or(err, fmt.Errorf("%w: %d observations after iteration %d, %d in all", wire.ErrMalformed, seen, k,
			x.States()))
	}
	return x.Prefix(seen), nil
}

// NewEnv returns the environment of a spec, or an error if running or verifying it would take more memory than this
// process can have. It allocates nothing large itself.
func NewEnv(spec schema.Spec) (envs.Env, error) {
	env, err := pod.NewEnvForSpec(spec)
	if err != nil {
		return nil, err
	}
	return env, CheckMemory(env, spec)
}

// CheckMemory returns an error if even the least memory that a run of the spec can need is unavailable.
func CheckMemory(env envs.Env, spec schema.Spec) error {
	err := memory.Check(pod.EstimateMemory(env, spec, 0))
	if err != nil {
		err = fmt.Errorf("environment %q with %d states and %d features: %w", spec.Env.Name, env.States(),
			len(env.Features()), err)
	}
	return err
}
