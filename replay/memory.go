package replay

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// tabulateFor builds the model of env if the spec's learner needs it, unless ctx is cancelled
// first.
func tabulateFor(ctx context.Context, env envs.Env, spec schema.Spec) error {
	if spec.UsesExperience() {
		return nil
	}
	return envs.BuildModel(ctx, env)
}

// MemorySemaphore limits the runs in parallel execution by their memory.
type MemorySemaphore struct {
	total int64
	free  *semaphore.Weighted // nil if the limit is unknown
}

// NewMemorySemaphore returns a semaphore over the memory that this process can still allocate.
func NewMemorySemaphore() MemorySemaphore {
	total, known := memory.Free()
	if !known {
		return MemorySemaphore{}
	}
	return MemorySemaphore{total: total, free: semaphore.NewWeighted(total)}
}

// Acquire waits until there is memory for a run of the spec, and returns the function that
// releases it. A run that is too large for the machine waits until it is alone: another check
// rejects it.
func (m MemorySemaphore) Acquire(ctx context.Context, spec schema.Spec) (leave func(), err error) {
	env, err := pod.NewEnvForSpec(spec)
	if m.free == nil || err != nil {
		return func() {}, nil // Engine.Run reports what is wrong with the spec
	}
	need := pod.EstimateMemory(env, spec)
	share := min(need+need/2, m.total) // measured peaks exceed the minimum by up to a half
	if err := m.free.Acquire(ctx, share); err != nil {
		return nil, err
	}
	return func() { m.free.Release(share) }, nil
}
