package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Step is one recorded step of an iteration.
type Step struct {
	T      int64 // from 0
	State  int   // before it
	Action int
	Option int  // in force, or schema.Primitive
	Begins bool // an option was called here
}

// Steps visits the recorded steps of an iteration that had so many options, in
// order, and returns the state after the last one.
func Steps(tx *tracker.Tx, env pod.Env, options int, it schema.Iteration, visit func(Step)) (state int, err error) {
	w := stepper{env: env, options: options, visit: visit, force: schema.Primitive, state: -1}
	for _, name := range it.All(schema.KindTransitions) {
		t, err := tracker.Load(tx, name, schema.DecodeTransitions)
		if err != nil {
			return 0, err
		}
		if err := w.chunk(&t); err != nil {
			return 0, fmt.Errorf("record %s: %w", name, err)
		}
	}
	return w.state, nil
}

// stepper is where the walk is.
type stepper struct {
	env     pod.Env
	options int
	visit   func(Step)
	t       int64
	state   int // −1 before the first chunk
	force   int
}

func (w *stepper) chunk(c *schema.Transitions) error {
	if c.Start >= uint64(w.env.Model().States) || w.state >= 0 && c.Start != uint64(w.state) || c.Arity != len(w.env.Actions()) || len(c.Episodes) > 0 {
		return fmt.Errorf("%w: transitions of %d actions from state %d", schema.ErrMalformed, c.Arity, c.Start)
	}
	w.state = int(c.Start)
	actions := c.Actions
	for i, span := range c.Spans {
		if int(span.Option) >= w.options {
			return fmt.Errorf("%w: span %d is under option %d of %d", schema.ErrMalformed, i, span.Option, w.options)
		}
		begins := int(span.Option) != schema.Primitive && (i > 0 || int(span.Option) != w.force)
		w.force = int(span.Option)
		w.span(actions[:span.Steps], begins)
		actions = actions[span.Steps:]
	}
	return nil
}

func (w *stepper) span(actions []uint8, begins bool) {
	for _, a := range actions {
		w.visit(Step{T: w.t, State: w.state, Action: int(a), Option: w.force, Begins: begins})
		w.state = w.env.Step(w.state, int(a))
		w.t++
		begins = false
	}
}
