package external

import (
	"context"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
)

// runningEnv is a [envs.RunningEnv] in another process.
type runningEnv struct {
	process      *process
	observations *envs.ObservedStates
	seed         uint64 // of the first reset
	abilities

	observer observer
	alone    []byte // observations of the last request for one step, or a reset

	pace     pace
	batch    batch // steps that were taken ahead
	ahead    aheadAnswer
	policies sentPolicies
}

// Close ends the process.
func (r *runningEnv) Close() error {
	extra, _ := r.process.close() // an error means that it had to be killed, which loses nothing
	if r.process.failed == nil && len(extra) > 0 && !r.batch.more {
		return r.process.fail(hintStdout, "it writes more after the last answer: %s", excerpt(extra))
	}
	return nil
}

// Reset implements [envs.RunningEnv].
func (r *runningEnv) Reset(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	r.alone = r.alone[:0]
	if err := r.reset(ctx, object{"do", "reset", "seed", r.seed}); err != nil {
		return 0, err
	}
	return r.intern(r.alone)
}

// reset begins an episode, and adds its first observation to r.alone.
func (r *runningEnv) reset(ctx context.Context, request object) error {
	a, err := r.exchange(ctx, request)
	if err != nil {
		return err
	}
	if a.Reward != nil {
		return r.process.fail(AdviceProtocol, "the reward %s in an answer to a reset", excerpt(a.Reward))
	}
	return r.observe(a)
}

// observe adds the observation of an answer to r.alone.
func (r *runningEnv) observe(a answer) (err error) {
	if r.alone, err = r.observer.read(a.Observation, r.alone); err != nil {
		return r.process.fail(AdviceProtocol, "%w", err)
	}
	return nil
}

func (r *runningEnv) intern(observation []byte) (int, error) {
	s, err := r.observations.Intern(observation)
	if err != nil {
		return 0, r.process.fail("", "%w", err)
	}
	return s, nil
}

// Step implements [envs.RunningEnv]. If the episode ended, it begins the next one by a reset without a seed, which
// continues the program's random numbers.
func (r *runningEnv) Step(ctx context.Context, action int) (o envs.StepResult, err error) {
	if r.batch.left() == 0 && r.batch.more {
		if _, err := r.nextPart(ctx); err != nil {
			return o, err
		}
	}
	if r.batch.left() > 0 {
		return r.stepFromBatch(action)
	}
	begun := time.Now()
	if o, err = r.stepAlone(ctx, action); err == nil {
		r.pace.took(1, time.Since(begun))
	}
	return o, err
}

// stepAlone takes a step by a request of its own.
func (r *runningEnv) stepAlone(ctx context.Context, action int) (o envs.StepResult, err error) {
	if err := ctx.Err(); err != nil {
		return o, err
	}
	a, err := r.exchange(ctx, object{"do", "step", "action", action})
	if err != nil {
		return o, err
	}
	if a.Terminated == nil || a.Truncated == nil {
		return o, r.process.fail(AdviceProtocol,
			"an answer to a step that does not say whether the episode terminated and whether it was truncated")
	}
	r.alone = r.alone[:0]
	if err := r.observe(a); err != nil {
		return o, err
	}
	reward, err := readReward(r.observer.declared.Reward, a.Reward)
	if err != nil {
		return o, r.process.fail(AdviceProtocol, "%w", err)
	}
	end := envs.NotEnded
	switch {
	case *a.Terminated:
		end = envs.Terminated
	case *a.Truncated:
		end = envs.Truncated
	}
	if end != envs.NotEnded {
		if err := r.reset(ctx, object{"do", "reset"}); err != nil {
			return o, err
		}
	}
	b := batch{ends: []uint8{uint8(end)}, rewards: []float64{reward}, observations: r.alone}
	return b.next(r.observations.ObservationSize(), r.intern)
}
