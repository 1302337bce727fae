package external

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// recheckSteps limits the steps of a recheck.
const recheckSteps = 1000

// Recheck takes random steps in the environment of a spec, from the first reset of its run, and the same ones in a
// second process. What it finds is part of the program's code from then on. It returns an error if the environment
// fails, not if the steps differ. The program must have declared the environment before.
func (p *Program) Recheck(ctx context.Context, spec schema.Spec) (found tracker.Recheck, err error) {
	command := p.command.forRecorded(spec.Env)
	t := conformanceTest{command: command, first: -1, with: CheckOptions{
		Seed: spec.Seed, Steps: int(min(spec.Steps, recheckSteps)), WalkTime: DefaultWalkTime}}
	defer t.close()
	err = t.setEnv(spec.Env)
	for _, do := range []func(context.Context) (Verdict, string, error){
		t.checkFirstReset, t.checkSteps, t.checkAnotherProcess,
	} {
		if err == nil {
			_, _, err = do(ctx)
		}
	}
	found.Steps = len(t.walk.actions)
	switch {
	case ctx.Err() != nil:
		return found, ctx.Err()
	case errors.Is(err, envs.ErrEnvNotRepeatable):
		found.Differs = strings.TrimPrefix(err.Error(), envs.ErrEnvNotRepeatable.Error()+": ")
	case err != nil:
		return found, fmt.Errorf("recheck: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	declared := p.declared[command.key()]
	declared.code.Recheck = &found
	p.declared[command.key()] = declared
	return found, nil
}
