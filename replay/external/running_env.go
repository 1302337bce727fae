package external

import (
	"context"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
)

// runningEnv is a [envs.RunningEnv] in another process.
type runningEnv struct {
	process      *process
	observations *envs.ObservedStates
	seed         uint64 // of the first reset
	abilities

	observer      observer
	after, before []byte // observations after a step, and before the next episode's first

	request  []byte
	pace     pace
	batch    batch // steps that were taken ahead
	ahead    aheadAnswer
	policies sentPolicies
}

// Close ends the process.
func (r *runningEnv) Close() error {
	extra, err := r.process.close()
	if r.process.failed == nil && len(extra) > 0 && !r.batch.more {
		return r.process.fail(hintStdout, "it writes more after the last answer: %s", excerpt(extra))
	}
	_ = err // it had to be killed, which loses nothing
	return nil
}

// Reset implements [envs.RunningEnv].
func (r *runningEnv) Reset(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := r.reset(ctx, fmt.Sprintf(`"do":"reset","seed":%d`, r.seed)); err != nil {
		return 0, err
	}
	return r.intern(r.before)
}

// reset begins an episode.
func (r *runningEnv) reset(ctx context.Context, request string) error {
	a, err := r.exchange(ctx, request)
	if err != nil {
		return err
	}
	if a.Reward != nil {
		return r.process.fail(AdviceProtocol, "the reward %s in an answer to a reset", excerpt(a.Reward))
	}
	r.before, err = r.observe(a, r.before)
	return err
}

func (r *runningEnv) observe(a answer, b []byte) ([]byte, error) {
	b, err := r.observer.read(a.Observation, b[:0])
	if err != nil {
		return b, r.process.fail(AdviceProtocol, "%w", err)
	}
	return b, nil
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
	a, err := r.exchange(ctx, fmt.Sprintf(`"do":"step","action":%d`, action))
	if err != nil {
		return o, err
	}
	if a.Terminated == nil || a.Truncated == nil {
		return o, r.process.fail(AdviceProtocol,
			"an answer to a step that does not say whether the episode terminated and whether it was truncated")
	}
	if r.after, err = r.observe(a, r.after); err != nil {
		return o, err
	}
	if o.Reward, err = readReward(r.observer.declared.Reward, a.Reward); err != nil {
		return o, r.process.fail(AdviceProtocol, "%w", err)
	}
	switch {
	case *a.Terminated:
		o.End = envs.Terminated
	case *a.Truncated:
		o.End = envs.Truncated
	}
	if o.End != envs.NotEnded {
		if err := r.reset(ctx, `"do":"reset"`); err != nil {
			return o, err
		}
	}
	return r.internResult(o)
}

// internResult adds an outcome's observations to the known states. It is called last, when nothing else can fail.
func (r *runningEnv) internResult(o envs.StepResult) (envs.StepResult, error) {
	var err error
	if o.State, err = r.intern(r.after); err == nil && o.End != envs.NotEnded {
		o.NextStart, err = r.intern(r.before)
	}
	return o, err
}
