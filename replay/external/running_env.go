package external

import (
	"context"
	"encoding/base64"
	"encoding/json"
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
func (w *runningEnv) Close() error {
	extra, err := w.process.close()
	if w.process.failed == nil && len(extra) > 0 && !w.batch.more {
		return w.process.fail(hintStdout, "it writes more after the last answer: %s", excerpt(extra))
	}
	_ = err // it did not end by itself: nothing is lost by that
	return nil
}

// Reset implements [envs.RunningEnv].
func (w *runningEnv) Reset(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := w.reset(ctx, fmt.Sprintf(`"do":"reset","seed":%d`, w.seed)); err != nil {
		return 0, err
	}
	return w.intern(w.before)
}

// reset begins an episode.
func (w *runningEnv) reset(ctx context.Context, request string) error {
	a, err := w.exchange(ctx, request)
	if err != nil {
		return err
	}
	if a.Reward != nil {
		return w.process.fail(AdviceProtocol, "the reward %s in an answer to a reset", excerpt(a.Reward))
	}
	w.before, err = w.observe(a, w.before)
	return err
}

func (w *runningEnv) observe(a answer, b []byte) ([]byte, error) {
	b, err := w.observer.read(a.Observation, b[:0])
	if err != nil {
		return b, w.process.fail(AdviceProtocol, "%w", err)
	}
	return b, nil
}

func (w *runningEnv) intern(observation []byte) (int, error) {
	s, err := w.observations.Intern(observation)
	if err != nil {
		return 0, w.process.fail("", "%w", err)
	}
	return s, nil
}

// Step implements [envs.RunningEnv]. Where the episode ended the next one is begun by a
// reset without a seed, by which the program's randomness goes on.
func (w *runningEnv) Step(ctx context.Context, action int) (o envs.StepResult, err error) {
	if w.batch.left() == 0 && w.batch.more {
		if _, err := w.nextPart(ctx); err != nil {
			return o, err
		}
	}
	if w.batch.left() > 0 {
		return w.stepFromBatch(action)
	}
	begun := time.Now()
	if o, err = w.stepAlone(ctx, action); err == nil {
		w.pace.took(1, time.Since(begun))
	}
	return o, err
}

// stepAlone takes a step by a request of its own.
func (w *runningEnv) stepAlone(ctx context.Context, action int) (o envs.StepResult, err error) {
	if err := ctx.Err(); err != nil {
		return o, err
	}
	a, err := w.exchange(ctx, fmt.Sprintf(`"do":"step","action":%d`, action))
	if err != nil {
		return o, err
	}
	if a.Terminated == nil || a.Truncated == nil {
		return o, w.process.fail(AdviceProtocol,
			"an answer to a step that does not say whether the episode terminated and whether it was truncated")
	}
	if w.after, err = w.observe(a, w.after); err != nil {
		return o, err
	}
	if o.Reward, err = readReward(w.observer.declared.Reward, a.Reward); err != nil {
		return o, w.process.fail(AdviceProtocol, "%w", err)
	}
	switch {
	case *a.Terminated:
		o.End = envs.Terminated
	case *a.Truncated:
		o.End = envs.Truncated
	}
	if o.End != envs.NotEnded {
		if err := w.reset(ctx, `"do":"reset"`); err != nil {
			return o, err
		}
	}
	return w.internResult(o)
}

// internResult makes an outcome's observations known, once there is nothing left to fail.
func (w *runningEnv) internResult(o envs.StepResult) (envs.StepResult, error) {
	var err error
	if o.State, err = w.intern(w.after); err == nil && o.End != envs.NotEnded {
		o.NextStart, err = w.intern(w.before)
	}
	return o, err
}

// save takes a snapshot. A run has no use for it: what a program restores cannot be
// proved without doing again what was done.
func (w *runningEnv) save(ctx context.Context) ([]byte, error) {
	a, err := w.exchange(ctx, `"do":"save"`)
	if err != nil {
		return nil, err
	}
	if a.State == nil {
		return nil, w.process.fail(AdviceProtocol, "an answer to save without a state")
	}
	snapshot, err := base64.StdEncoding.DecodeString(*a.State)
	if err != nil {
		return nil, w.process.fail(AdviceProtocol, "a saved state that is no base64: %w", err)
	}
	return snapshot, nil
}

// restore goes back, or elsewhere, to a snapshot.
func (w *runningEnv) restore(ctx context.Context, snapshot []byte) error {
	text, err := json.Marshal(base64.StdEncoding.EncodeToString(snapshot))
	if err == nil {
		_, err = w.exchange(ctx, `"do":"restore","state":`+string(text))
	}
	return err
}
