package external

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// Seed is the seed of the reset that iteration k begins with: the first 53 bits of
// SHA-256("podtrack/reset/1" ‖ CBOR[seed, k]), which every language's numbers hold.
func Seed(seed uint64, k int) uint64 {
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
func (p *Program) Ask(ctx context.Context) (schema.Env, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.env != nil {
		return p.env.Clone(), nil
	}
	env, err := p.command.Ask(ctx)
	if err == nil {
		p.env = &env
	}
	return env.Clone(), err
}

// Expect refuses the environment of a spec that is another one.
func (p *Program) Expect(ctx context.Context, spec schema.Env) error {
	env, err := p.Ask(ctx)
	if err == nil {
		err = agree(spec, env)
	}
	return err
}

// Enter sets the environment of a spec in motion for an iteration, in a process of
// its own that lasts until the world is closed. seen gets what is observed.
func (p *Program) Enter(ctx context.Context, env schema.Env, seen *pod.External, seed uint64, k int) (pod.World, error) {
	w, err := p.command.open(ctx, env, seen)
	if err == nil {
		w.seed = Seed(seed, k)
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
	if err := agree(env, declared); err != nil {
		return nil, p.fail(schema.Remedy(err), "%w", err)
	}
	return &world{process: p, seen: seen, snapshot: snapshot, observer: observer{declared: *env.External}}, nil
}

// world is a [pod.World] in another process.
type world struct {
	process  *process
	seen     *pod.External
	seed     uint64 // of the first reset
	snapshot bool   // the program can save and restore

	observer      observer
	after, before []byte // observations after a step, and before the next episode's first
}

// Close ends the process.
func (w *world) Close() error {
	extra, err := w.process.close()
	if w.process.failed == nil && len(extra) > 0 {
		return w.process.fail(hintStdout, "it goes on after the last answer: %s", excerpt(extra))
	}
	_ = err // it did not end by itself: nothing is lost by that
	return nil
}

// Begin implements [pod.World].
func (w *world) Begin(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := w.reset(fmt.Sprintf(`"do":"reset","seed":%d`, w.seed)); err != nil {
		return 0, err
	}
	return w.see(w.before)
}

// reset begins an episode.
func (w *world) reset(request string) error {
	a, err := w.process.ask(request)
	if err == nil {
		w.before, err = w.observe(a, w.before)
	}
	return err
}

func (w *world) observe(a answer, b []byte) ([]byte, error) {
	b, err := w.observer.read(a.Observation, b[:0])
	if err != nil {
		return b, w.process.fail(hintProtocol, "%w", err)
	}
	return b, nil
}

func (w *world) see(observation []byte) (int, error) {
	s, err := w.seen.See(observation)
	if err != nil {
		return 0, w.process.fail(schema.Remedy(err), "%w", err)
	}
	return s, nil
}

// Act implements [pod.World]. Where the episode ended the next one is begun by a
// reset without a seed, by which the program's randomness goes on.
func (w *world) Act(ctx context.Context, action int) (o pod.Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return o, err
	}
	a, err := w.process.ask(fmt.Sprintf(`"do":"step","action":%d`, action))
	if err != nil {
		return o, err
	}
	if a.Terminated == nil || a.Truncated == nil {
		return o, w.process.fail(hintProtocol, "an answer to a step that does not say whether the episode terminated and whether it was truncated")
	}
	if w.after, err = w.observe(a, w.after); err != nil {
		return o, err
	}
	switch {
	case *a.Terminated:
		o.End = pod.Terminated
	case *a.Truncated:
		o.End = pod.Truncated
	}
	if o.End != pod.GoesOn {
		if err := w.reset(`"do":"reset"`); err != nil {
			return o, err
		}
	}
	return w.seeAll(o)
}

// seeAll makes an outcome's observations known, once there is nothing left to fail.
func (w *world) seeAll(o pod.Outcome) (pod.Outcome, error) {
	var err error
	if o.State, err = w.see(w.after); err == nil && o.End != pod.GoesOn {
		o.First, err = w.see(w.before)
	}
	return o, err
}

// saved is a world at rest, in a checkpoint.
type saved struct {
	Snapshot []byte `cbor:"snapshot"` // empty where actions have to be repeated
}

// Save implements [pod.World]. A program that takes no snapshots, or that has failed,
// leaves none.
func (w *world) Save() ([]byte, error) {
	var s saved
	if w.snapshot && w.process.failed == nil {
		snapshot, err := w.take()
		if err != nil {
			return nil, err
		}
		s.Snapshot = snapshot
	}
	return schema.Marshal(s)
}

// take takes a snapshot. One that fails, as when the program has no time for it any
// more, is none: actions can be repeated.
func (w *world) take() ([]byte, error) {
	a, err := w.process.ask(`"do":"save"`)
	if err != nil {
		return nil, nil
	}
	if a.State == nil {
		return nil, w.process.fail(hintProtocol, "an answer to save without a state")
	}
	snapshot, err := base64.StdEncoding.DecodeString(*a.State)
	if err != nil {
		return nil, w.process.fail(hintProtocol, "a saved state that is no base64: %w", err)
	}
	return snapshot, nil
}

// Restore implements [pod.World]. Without a snapshot it does nothing: see Repeats.
func (w *world) Restore(_ context.Context, b []byte) error {
	var s saved
	if err := schema.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	if len(s.Snapshot) == 0 {
		return nil
	}
	return w.put(s.Snapshot)
}

func (w *world) put(snapshot []byte) error {
	if !w.snapshot {
		return w.process.fail("give the program that took it", "it takes no snapshots, and has to go on from one")
	}
	text, err := json.Marshal(base64.StdEncoding.EncodeToString(snapshot))
	if err == nil {
		_, err = w.process.ask(`"do":"restore","state":` + string(text))
	}
	return err
}

// Repeats says whether what Save gave has no snapshot, so that the actions of the
// iteration have to be done again.
func (*world) Repeats(b []byte) bool {
	var s saved
	return schema.Unmarshal(b, &s) == nil && len(s.Snapshot) == 0
}
