package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// Step is one recorded step of an iteration.
type Step struct {
	T        int64 // number of the step in its iteration, from 0
	State    int   // before it
	Action   int   // index in the environment's Actions
	Next     int   // state after it, before any reset
	Option   int   // number of the executing option, or [schema.Primitive]
	Begins   bool  // an option was called here
	Resets   bool  // the step ended an episode
	Terminal bool  // the episode that it ended terminated in Next
}

// VisitChunk visits the steps of one chunk, in an iteration that had the given number of options.
func VisitChunk(env envs.Env, options int, c *schema.Transitions, visit func(Step)) error {
	return NewStepVisitor(env, options, visit).VisitChunk(c)
}

// stepVisitor holds the position in the recorded steps.
type stepVisitor struct {
	env     envs.Env
	steps   envs.SteppableEnv // nil where transitions have states
	options int
	visit   func(Step)
	t       int64
	State   int // −1 before the first chunk
	force   int
	reset   bool // the last step ended an episode
}

func NewStepVisitor(env envs.Env, options int, visit func(Step)) *stepVisitor {
	steps, _ := envs.As[envs.SteppableEnv](env)
	return &stepVisitor{env: env, steps: steps, options: options, visit: visit, force: schema.Primitive, State: -1}
}

func (s *stepVisitor) VisitChunk(c *schema.Transitions) error {
	if c.Start >= uint64(s.env.States()) || s.State >= 0 && c.Start != uint64(s.State) ||
		c.Arity != len(s.env.Actions()) {
		return fmt.Errorf("%w: transitions of %d actions from state %d", wire.ErrMalformed, c.Arity, c.Start)
	}
	if err := collect.CheckStates(s.env, c); err != nil {
		return err
	}
	for i, span := range c.Spans {
		if int(span.Option) >= s.options {
			return fmt.Errorf("%w: span %d is under option %d of %d", wire.ErrMalformed, i, span.Option, s.options)
		}
	}
	s.State = int(c.Start)
	span, left := 0, uint32(0) // the next span, and the steps left of the one before
	envs.VisitChunk(s.steps, c, func(m envs.Transition, resets bool) {
		step := Step{T: s.t, State: int(m.State), Action: int(m.Action), Next: int(m.Next), Resets: resets,
			Terminal: m.Terminal}
		if left == 0 {
			option := int(c.Spans[span].Option)
			step.Begins = option != schema.Primitive && (span > 0 || option != s.force || s.reset)
			s.force, left, span = option, c.Spans[span].Steps, span+1
		}
		step.Option = s.force
		s.t, s.State, s.reset, left = s.t+1, step.Next, resets, left-1
		s.visit(step)
	})
	if s.reset && len(c.Episodes) > 0 {
		s.State = int(c.Episodes[len(c.Episodes)-1].State)
	}
	return nil
}
