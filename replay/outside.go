package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Worlds sets environments in motion that this program does not have. It may be used
// by several goroutines.
type Worlds interface {
	// Expect refuses an environment that is none of these worlds.
	Expect(ctx context.Context, env schema.Env) error
	// Enter begins iteration k in the environment that env describes, and makes what
	// is observed known to seen. The world ends with ctx, or when it is closed if it is
	// an [io.Closer].
	Enter(ctx context.Context, env schema.Env, seen *pod.External, seed uint64, k int) (pod.World, error)
}

type worldsKey struct{}

// WithWorlds is a context for whatever runs or judges. Which program is an
// environment is said by a command and by nothing that is recorded, and is, like the
// time that it is given, the same for all that the command does.
func WithWorlds(ctx context.Context, w Worlds) context.Context {
	return context.WithValue(ctx, worldsKey{}, w)
}

func worldsOf(ctx context.Context) Worlds {
	w, _ := ctx.Value(worldsKey{}).(Worlds)
	return w
}

// ErrNoWorld says that a run's environment runs in another process, and that nobody
// said which program it is.
var ErrNoWorld = errors.New("runs in another process, which was not named")

// noWorld is the error of a run that cannot act.
func noWorld(env schema.Env) error {
	return schema.Hint(fmt.Errorf("environment %q %w", env.Name, ErrNoWorld), "say which program it is, as for podtrack run: --env exec:CMD or --env gym:NAME")
}

// expectWorld refuses to go on with a run that has steps to do and nobody to do them.
func (j Job) expectWorld(ctx context.Context, store *tracker.Store) error {
	k := 0
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		_, k, err = j.begins(tx)
		return err
	})
	worlds := worldsOf(ctx)
	switch {
	case err != nil && !errors.Is(err, tracker.ErrNoStore) && !errors.Is(err, tracker.ErrMissing):
		return err
	case k >= j.Target:
		return nil
	case worlds == nil:
		return noWorld(j.Spec.Env)
	}
	return worlds.Expect(ctx, j.Spec.Env)
}

// external is the environment where another process runs it, else nil.
func (p *prefix) external() *pod.External {
	x, _ := p.env.(*pod.External)
	return x
}

// see makes the observations known that an iteration recorded.
func (p *prefix) see(tx *tracker.Tx, it schema.Iteration) error {
	err := see(tx, p.env, it)
	if err == nil {
		pod.Extend(p.env, p.options)
	}
	return err
}

// keepTheta keeps the weights with an option that has to know what to do in states
// that are seen later.
func (p *prefix) keepTheta(o *schema.Option, l schema.Learned) {
	if theta, ok := l.(schema.Theta); ok && p.external() != nil {
		theta.Weights = slices.Clone(theta.Weights)
		o.Theta = &theta
	}
}

// loadOptionOf is [LoadOption] of an iteration's i-th, with a policy in all states
// that are known now, where there are weights to take it from.
func loadOptionOf(tx *tracker.Tx, env pod.Env, it schema.Iteration, i int) (*schema.Option, error) {
	o, err := LoadOption(tx, env, it.All(schema.KindOption)[i])
	if _, grows := env.(*pod.External); err != nil || !grows {
		return o, err
	}
	thetas := it.All(schema.KindTheta)
	if len(thetas) <= i {
		return o, nil
	}
	theta, err := tracker.Load(tx, thetas[i], schema.DecodeTheta)
	if err != nil {
		return nil, err
	}
	if theta.Actions != o.Arity || theta.Width != len(o.Purpose.Vector)+1 {
		return nil, fmt.Errorf("record %s: %w: weights of %d actions and %d features", thetas[i], schema.ErrMalformed, theta.Actions, theta.Width-1)
	}
	o.Theta = &theta
	pod.Extend(env, []*schema.Option{o})
	return o, nil
}

func see(tx *tracker.Tx, env pod.Env, it schema.Iteration) error {
	x, ok := env.(*pod.External)
	if !ok {
		return nil
	}
	for _, name := range it.All(schema.KindObservations) {
		o, err := tracker.Load(tx, name, schema.DecodeObservations)
		if err != nil {
			return err
		}
		if err := x.Load(&o); err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
	}
	return nil
}

// EnvOf is the environment of a run with all that it has seen of it.
func EnvOf(tx *tracker.Tx, run tracker.Run) (pod.Env, error) {
	env, err := Env(run.Spec)
	if err != nil || run.Spec.Env.External == nil {
		return env, err
	}
	its, err := tx.Iterations(run.ID)
	if err != nil {
		return nil, err
	}
	for k, it := range its {
		if err := see(tx, env, it); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	return env, nil
}

// EnvAt is env, of [EnvOf], as it was known when iteration k had ended.
func EnvAt(env pod.Env, its []schema.Iteration, k int, with func(func(*tracker.Tx) error) error) (pod.Env, error) {
	x, grows := env.(*pod.External)
	if !grows {
		return env, nil
	}
	seen := 0
	err := with(func(tx *tracker.Tx) error {
		for _, it := range its[:k+1] {
			names := it.All(schema.KindObservations)
			if len(names) == 0 {
				continue
			}
			o, err := tracker.Load(tx, names[len(names)-1], schema.DecodeObservations)
			if err != nil {
				return err
			}
			seen = int(o.First) + o.Len()
		}
		return nil
	})
	if err != nil || seen > x.States() {
		return nil, cmp.Or(err, fmt.Errorf("%w: %d observations of %d", schema.ErrMalformed, seen, x.States()))
	}
	return x.Until(seen), nil
}

// enterWorld is the iteration's environment in motion.
func (it *iteration) enterWorld(ctx context.Context) (pod.World, error) {
	p := it.prefix
	x := p.external()
	if x == nil {
		return pod.NewWorld(p.env, p.spec().Seed, p.k, p.state), nil
	}
	worlds := worldsOf(ctx)
	if worlds == nil {
		return nil, noWorld(p.spec().Env)
	}
	return worlds.Enter(ctx, p.spec().Env, x, p.spec().Seed, p.k)
}

// leave ends what runs elsewhere.
func (it *iteration) leave() error {
	c, ok := it.agent.World.(io.Closer)
	if !ok {
		return nil
	}
	it.agent.World = nil
	return c.Close()
}

// putObservations hands over what was first seen in the chunk.
func (it *iteration) putObservations() error {
	x := it.prefix.external()
	if x == nil {
		return nil
	}
	err := it.put(StageCollect, it.chunks, schema.KindObservations, x.Since(it.seen).Encode)
	it.seen, it.prints = x.States(), nil
	return err
}

// forget is as if the iteration had seen nothing.
func (it *iteration) forget() {
	x := it.prefix.external()
	if x == nil {
		return
	}
	x.Forget(it.knew)
	for _, o := range it.prefix.options {
		o.Policy = o.Policy[:min(len(o.Policy), it.knew)]
	}
	it.seen, it.prints = it.knew, nil
}
