package external

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Bounds of a recheck.
const (
	recheckSteps = 1000
	recheckTime  = 10 * time.Second // after which no more steps are taken
)

// Recheck takes random steps in the environment of a spec, from the first reset of its run, and the same ones in a
// second process. What it finds is part of the program's code from then on. It returns an error if the environment
// fails, not if the steps differ. The program must have declared the environment before.
func (p *Program) Recheck(ctx context.Context, spec schema.Spec) (found tracker.Recheck, err error) {
	command := p.command.forRecorded(spec.Env)
	found.Steps, err = recheck(ctx, command, spec)
	switch {
	case ctx.Err() != nil:
		return found, ctx.Err()
	case errors.Is(err, envs.ErrEnvNotRepeatable):
		found.Differs = strings.TrimPrefix(err.Error(), envs.ErrEnvNotRepeatable.Error()+": ")
	case err != nil:
		return found, fmt.Errorf("recheck: %w", err)
	}
	declared := p.declared.known(command)
	declared.code.Recheck = &found
	p.declared.mu.Lock()
	defer p.declared.mu.Unlock()
	p.declared.byKey[command.key()] = declared
	return found, nil
}

// recheck takes the steps, and takes them again in another process. It returns how many it took.
func recheck(ctx context.Context, command Command, spec schema.Spec) (steps int, err error) {
	built, err := envs.NewEnv(spec.Env)
	if err != nil {
		return 0, err
	}
	env, ok := envs.As[envs.GrowingEnv](built)
	if !ok {
		return 0, fmt.Errorf("environment %q is not an external one", spec.Env.Name)
	}
	var first int // the state of the first reset
	var actions []uint8
	var outcomes []envs.StepResult
	walk := func(take func(w *runningEnv, start int) error) error {
		w, err := command.open(ctx, spec.Env, env.Observed())
		if err != nil {
			return err
		}
		defer w.Close()
		w.seed = rng.ResetSeed(spec.Seed, 0)
		start, err := w.Reset(ctx)
		if err != nil {
			return err
		}
		return take(w, start)
	}
	err = walk(func(w *runningEnv, start int) error {
		first = start
		stream, given := rng.NewStream(spec.Seed, 0, collect.WalkStream), make([]uint8, min(spec.Steps, recheckSteps))
		for i := range given {
			given[i] = uint8(stream.Below(len(spec.Env.External.Actions)))
		}
		begun := time.Now()
		n, err := collect.TakeSteps(ctx, w, given, func(i int, o envs.StepResult) error {
			actions, outcomes = append(actions, given[i]), append(outcomes, o)
			if time.Since(begun) > recheckTime && !w.hasAhead() {
				return errTimeIsUp
			}
			return nil
		})
		if err != nil && !errors.Is(err, errTimeIsUp) {
			return fmt.Errorf("step %d: %w", n, err)
		}
		return nil
	})
	if err != nil {
		return len(actions), err
	}
	return len(actions), walk(func(w *runningEnv, start int) error {
		if start != first {
			return schema.Hint(fmt.Errorf("%w: a second reset with seed %d gives a different observation",
				envs.ErrEnvNotRepeatable, w.seed), "%s", hintRepeat)
		}
		n, err := collect.TakeSteps(ctx, w, actions, func(i int, o envs.StepResult) error {
			if o != outcomes[i] {
				return schema.Hint(fmt.Errorf("%w: step %d, action %q, has a different outcome when repeated",
					envs.ErrEnvNotRepeatable, i, spec.Env.External.Actions[actions[i]]), "%s", hintRepeat)
			}
			return nil
		})
		if err != nil && !errors.Is(err, envs.ErrEnvNotRepeatable) {
			err = fmt.Errorf("step %d: %w", n, err)
		}
		return err
	})
}

// errTimeIsUp ends a walk whose time is up.
var errTimeIsUp = errors.New("the time is up")

const hintRepeat = "all randomness of the environment must come from the seed of its reset, and a reset must clear " +
	"all state"
