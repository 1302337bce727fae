package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// prefix is what iteration k begins with: all that earlier iterations hand on.
type prefix struct {
	spec    schema.Spec
	env     pod.Env
	k       int
	link    schema.Digest    // of iteration k−1, or the run's ID
	state   int              // before the first step of iteration k
	options []*schema.Option // of all earlier iterations, in option order
	data    pod.Dataset      // of all earlier iterations, for a cumulative D
	learner *pod.Learner
}

// load reads the recorded iterations of a run and verifies its chain.
func (e *Engine) load(ctx context.Context, env pod.Env, run tracker.Run) (*prefix, error) {
	p := &prefix{spec: run.Spec, env: env, link: run.ID, state: env.Start(), learner: pod.NewLearner(env, run.Spec)}
	err := e.store.View(ctx, func(tx *tracker.Tx) error {
		iterations, err := tx.Iterations(run.ID)
		if err != nil {
			return err
		}
		for k, it := range iterations {
			if err := p.take(tx, it, k == len(iterations)-1); err != nil {
				return fmt.Errorf("iteration %d: %w", k, err)
			}
		}
		return nil
	})
	return p, err
}

// take goes past a recorded iteration. Only the last one's transitions and
// factors matter to what comes after.
func (p *prefix) take(tx *tracker.Tx, it schema.Iteration, last bool) error {
	link, err := schema.Link(p.k, p.link, it.Records)
	if err != nil {
		return err
	}
	if link != it.Link {
		return fmt.Errorf("%w: link %s does not follow from what it links", tracker.ErrDamaged, it.Link)
	}
	if last {
		if err := p.takeState(tx, it); err != nil {
			return err
		}
	}
	for _, name := range it.All(schema.KindOption) {
		o, err := tracker.Load(tx, name, schema.DecodeOption)
		if err != nil {
			return err
		}
		p.options = append(p.options, &o)
	}
	p.k, p.link = p.k+1, it.Link
	return nil
}

// takeState reads where an iteration ended and, for a cumulative D, what it had
// gathered.
func (p *prefix) takeState(tx *tracker.Tx, it schema.Iteration) error {
	tally, err := WalkRecorded(tx, p.env, p.options, it)
	if err != nil {
		return err
	}
	p.state = tally.State()
	if p.spec.Dataset != schema.Cumulative {
		return nil
	}
	name, err := it.First(schema.KindFactors)
	if err != nil {
		return err
	}
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	p.data = pod.DatasetOf(f)
	return err
}

// advance goes past an iteration that was just executed.
func (p *prefix) advance(link schema.Digest, state int, learned []*schema.Option, data pod.Dataset) {
	p.k, p.link, p.state, p.data = p.k+1, link, state, data
	p.options = append(p.options, learned...)
}

// WalkRecorded tallies the recorded transitions of an iteration, given the
// options that it could call.
func WalkRecorded(tx *tracker.Tx, env pod.Env, options []*schema.Option, it schema.Iteration) (*pod.Tally, error) {
	var tally *pod.Tally
	for _, name := range it.All(schema.KindTransitions) {
		t, err := tracker.Load(tx, name, schema.DecodeTransitions)
		if err != nil {
			return nil, err
		}
		if t.Start >= uint64(env.Model().States) {
			return nil, fmt.Errorf("%w: transitions from state %d", schema.ErrMalformed, t.Start)
		}
		if tally == nil {
			tally = pod.NewTally(env, options, int(t.Start))
		}
		if err := tally.Add(&t); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
	}
	if tally == nil {
		return nil, fmt.Errorf("%w: iteration without transitions", schema.ErrMalformed)
	}
	return tally, nil
}
