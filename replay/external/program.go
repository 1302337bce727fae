package external

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// ResetSeed is the seed of the reset that iteration k begins with: the first 53 bits of
// SHA-256("podtrack/reset/1" ‖ CBOR[seed, k]), which every language's numbers hold.
func ResetSeed(seed uint64, k int) uint64 {
	b, err := schema.Marshal([]any{seed, k})
	if err != nil {
		panic(err) // integers always encode
	}
	h := sha256.Sum256(append([]byte("podtrack/reset/1"), b...))
	return binary.BigEndian.Uint64(h[:8]) >> 11
}

// Program is a command that has been asked at most once what it is. It may be used by
// several goroutines.
type Program struct {
	command Command
	mu      sync.Mutex
	env     *schema.Env
}

// NewProgram is a program that a command starts.
func NewProgram(c Command) *Program { return &Program{command: c} }

// Ask is what the program declares itself to be.
func (p *Program) QueryEnv(ctx context.Context) (schema.Env, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.env != nil {
		return p.env.Clone(), nil
	}
	env, err := p.command.QueryEnv(ctx)
	if err == nil {
		p.env = &env
	}
	return env.Clone(), err
}

// Expect refuses the environment of a spec that is another one.
func (p *Program) CheckEnv(ctx context.Context, spec schema.Env) error {
	env, err := p.QueryEnv(ctx)
	if err == nil {
		err = checkSameEnv(spec, env)
	}
	return err
}

// Enter sets the environment of a spec in motion for an iteration, in a process of
// its own that lasts until the world is closed. seen gets what is observed.
func (p *Program) Launch(ctx context.Context, env schema.Env, seen *pod.External, seed uint64, k int) (pod.RunningEnv, error) {
	w, err := p.command.open(ctx, env, seen)
	if err == nil {
		w.seed = ResetSeed(seed, k)
	}
	return w, err
}

// open starts a program that has to be the environment env.
func (c Command) open(ctx context.Context, env schema.Env, seen *pod.External) (*world, error) {
	p, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	declared, snapshot, err := p.hello()
	if err != nil {
		return nil, err
	}
	if err := checkSameEnv(env, declared); err != nil {
		return nil, p.fail(schema.Remedy(err), "%w", err)
	}
	return &world{process: p, seen: seen, snapshot: snapshot, observer: observer{declared: *env.External}}, nil
}
