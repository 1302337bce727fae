package replay

import (
	"context"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// prefix is what iteration k begins with: all that earlier iterations hand on.
type prefix struct {
	run     tracker.Run
	env     pod.Env
	k       int
	link    schema.Digest    // of iteration k − 1
	state   int              // before the first step of iteration k
	options []*schema.Option // of all earlier iterations, in option order
	data    pod.Dataset      // of all earlier iterations, for a cumulative D
	learner *pod.Learner     // of iteration k's spec
}

func newPrefix(env pod.Env, run tracker.Run) *prefix {
	p := &prefix{run: run, env: env, state: env.Start()}
	p.learner = pod.NewLearner(env, p.spec())
	return p
}

// spec is that of iteration k.
func (p *prefix) spec() schema.Spec { return p.run.Made(p.k) }

// linkOf is the link of iteration k with these records.
func (p *prefix) linkOf(records []schema.Entry) (schema.Digest, error) {
	previous, err := p.run.Previous(p.k, p.link)
	if err != nil {
		return previous, err
	}
	return schema.Link(p.k, previous, records)
}

// load reads the recorded iterations of a run and verifies its chain.
func (e *Engine) load(ctx context.Context, env pod.Env, run tracker.Run) (*prefix, error) {
	p := newPrefix(env, run)
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
	if err := p.verify(it); err != nil {
		return err
	}
	if last {
		if err := p.takeState(tx, it); err != nil {
			return err
		}
	}
	learned, err := loadOptions(tx, it)
	if err != nil {
		return err
	}
	p.advance(it.Link, p.state, learned, p.data)
	return nil
}

func loadOptions(tx *tracker.Tx, it schema.Iteration) ([]*schema.Option, error) {
	var options []*schema.Option
	for _, name := range it.All(schema.KindOption) {
		o, err := tracker.Load(tx, name, schema.DecodeOption)
		if err != nil {
			return nil, err
		}
		options = append(options, &o)
	}
	return options, nil
}

// verify holds a recorded link to what it says that it links.
func (p *prefix) verify(it schema.Iteration) error {
	link, err := p.linkOf(it.Records)
	if err == nil && link != it.Link {
		err = fmt.Errorf("%w: link %s does not follow from what it links", tracker.ErrDamaged, it.Link)
	}
	return err
}

// takeState reads where an iteration ended and, for a cumulative D, what it had
// gathered.
func (p *prefix) takeState(tx *tracker.Tx, it schema.Iteration) error {
	tally, err := WalkRecorded(tx, p.env, p.options, it)
	if err != nil {
		return err
	}
	p.state = tally.State()
	if p.run.Spec.Dataset != schema.Cumulative {
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

// advance goes past an iteration.
func (p *prefix) advance(link schema.Digest, state int, learned []*schema.Option, data pod.Dataset) {
	before := p.spec()
	p.k, p.link, p.state, p.data = p.k+1, link, state, data
	p.options = append(p.options, learned...)
	if !reflect.DeepEqual(before, p.spec()) {
		p.learner = pod.NewLearner(p.env, p.spec())
	}
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
