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
	s.State = int(c.Start)
	at, episodes := 0, c.Episodes
	for i, span := range c.Spans {
		if int(span.Option) >= s.options {
			return fmt.Errorf("%w: span %d is under option %d of %d", wire.ErrMalformed, i, span.Option, s.options)
		}
		begins := int(span.Option) != schema.Primitive && (i > 0 || int(span.Option) != s.force || s.reset)
		s.force = int(span.Option)
		for end := at + int(span.Steps); at < end; at++ {
			episodes = s.visitStep(c, at, begins, episodes)
			begins = false
		}
	}
	return nil
}

// visitStep visits a step and returns the episodes that begin after it.
func (s *stepVisitor) visitStep(
	c *schema.Transitions, at int, begins bool, episodes []schema.Episode,
) []schema.Episode {
	step := Step{T: s.t, State: s.State, Action: int(c.Actions[at]), Option: s.force, Begins: begins}
	if c.Next == nil {
		step.Next = s.steps.Step(s.State, step.Action)
	} else {
		step.Next = int(c.Next[at])
	}
	s.State = step.Next
	if step.Resets = len(episodes) > 0 && episodes[0].Step == uint64(at+1); step.Resets {
		step.Terminal = episodes[0].Terminated
		s.State, episodes = int(episodes[0].State), episodes[1:]
	}
	s.reset = step.Resets
	s.visit(step)
	s.t++
	return episodes
}
