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

// memorySemaphore limits the runs in parallel execution by their memory.
type memorySemaphore struct {
	total int64
	free  *semaphore.Weighted // nil if the limit is unknown
}

// newMemorySemaphore returns a semaphore over the memory that this process can still allocate.
func newMemorySemaphore() memorySemaphore {
	total, known := memory.Free()
	if !known {
		return memorySemaphore{}
	}
	return memorySemaphore{total: total, free: semaphore.NewWeighted(total)}
}

// acquire waits until there is memory for a run of the spec in env, and returns the function that
// releases it. A run that is too large for the machine waits until it is alone: another check
// rejects it.
func (m memorySemaphore) acquire(ctx context.Context, env envs.Env, spec schema.Spec) (leave func(), err error) {
	if m.free == nil {
		return func() {}, nil
	}
	need := pod.EstimateMemory(env, spec, int64(len(env.Features())))
	share := min(need+need/2, m.total) // measured peaks exceed the minimum by up to a half
	if err := m.free.Acquire(ctx, share); err != nil {
		return nil, err
	}
	return func() { m.free.Release(share) }, nil
}
