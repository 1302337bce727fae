package replay

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// NewEnv returns the environment of a spec's runs, unless this process cannot have the
// memory to make or to judge one of them. Nothing large is made to tell.
func NewEnv(spec schema.Spec) (pod.Env, error) {
	env, err := pod.NewEnvForSpec(spec)
	if err != nil {
		return nil, err
	}
	return env, checkMemory(env, spec)
}

// checkMemory asks for the memory that a run of the spec takes at least.
func checkMemory(env pod.Env, spec schema.Spec) error {
	err := tracker.CheckMemory(pod.EstimateMemory(env, spec))
	if err != nil {
		err = fmt.Errorf("environment %q of %d states and %d features: %w", spec.Env.Name, env.States(), len(env.Features()), err)
	}
	return err
}

// tabulateFor makes the model of env where the spec's learner needs it, unless ctx is
// done first.
func tabulateFor(ctx context.Context, env pod.Env, spec schema.Spec) error {
	if spec.Learner.UsesExperience() {
		return nil
	}
	return pod.BuildModel(ctx, env)
}

// A MemorySemaphore lets runs be at work beside each other as far as their memory goes.
type MemorySemaphore struct {
	total int64
	free  *semaphore.Weighted // nil where the system does not tell
}

// NewMemorySemaphore returns a gate to the memory that this process can still have.
func NewMemorySemaphore() MemorySemaphore {
	total, known := tracker.FreeMemory()
	if !known {
		return MemorySemaphore{}
	}
	return MemorySemaphore{total: total, free: semaphore.NewWeighted(total)}
}

// Enter waits until there is memory for a run of the spec beside those at work. Its
// share is given back with leave. A run that is too large for the machine enters alone: it is
// for others to refuse it.
func (g MemorySemaphore) Acquire(ctx context.Context, spec schema.Spec) (leave func(), err error) {
	env, err := pod.NewEnvForSpec(spec)
	if g.free == nil || err != nil {
		return func() {}, nil // what is wrong with the spec is said when it is executed
	}
	need := pod.EstimateMemory(env, spec)
	share := min(need+need/2, g.total) // measured peaks are up to half more than the least
	if err := g.free.Acquire(ctx, share); err != nil {
		return nil, err
	}
	return func() { g.free.Release(share) }, nil
}
