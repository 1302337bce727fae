package external

import (
	"context"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// Program is an external environment that is queried at most once for its declaration, by each
// command that starts it. It may be used by several goroutines.
type Program struct {
	command  Command
	mu       sync.Mutex
	declared map[string]declaration // by the key of the command
}

// NewProgram returns the program that a command starts.
func NewProgram(c Command) *Program { return &Program{command: c, declared: map[string]declaration{}} }

// QueryEnv returns the environment that the program declares.
func (p *Program) QueryEnv(ctx context.Context) (schema.Env, error) { return p.query(ctx, p.command) }

func (p *Program) query(ctx context.Context, c Command) (schema.Env, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, known := p.declared[c.key()]
	if !known {
		var err error
		if d, err = c.declare(ctx); err != nil {
			return schema.Env{}, err
		}
		p.declared[c.key()] = d
	}
	return d.env.Clone(), nil
}

// CheckEnv returns an error if the program's environment is not the one of the spec.
func (p *Program) CheckEnv(ctx context.Context, spec schema.Env) error {
	env, err := p.query(ctx, p.command.forRecorded(spec))
	if err == nil {
		err = pod.CheckSameEnv(spec, env)
	}
	return err
}

// Launch starts the environment of a spec for an iteration, in its own process, which runs until
// the environment is closed. Observations are added to seen.
func (p *Program) Launch(
	ctx context.Context, env schema.Env, seen *pod.ObservedStates, seed uint64, k int,
) (pod.RunningEnv, error) {
	w, err := p.command.forRecorded(env).open(ctx, env, seen)
	if err == nil {
		w.seed = pod.ResetSeed(seed, k)
	}
	return w, err
}

// open starts a program that must declare the environment env.
func (c Command) open(ctx context.Context, env schema.Env, seen *pod.ObservedStates) (*runningEnv, error) {
	p, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	declared, can, err := p.hello(ctx)
	if err != nil {
		return nil, err
	}
	if err := pod.CheckSameEnv(env, declared); err != nil {
		return nil, p.fail("", "%w", err)
	}
	return &runningEnv{process: p, observations: seen, abilities: can,
		observer: observer{declared: *env.External}}, nil
}
