package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
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

// VisitRewards visits the rewards of an iteration of that many steps in order, chunk by chunk, and stops at the first
// error of visit. The transaction that reads a chunk is closed before the visit.
func VisitRewards(view tracker.Viewer, it schema.Iteration, steps int64, visit func(schema.Rewards) error) error {
	part := 0
	for left := steps; left > 0; left -= schema.ChunkSteps {
		rewards, err := tracker.Read(view, func(tx *tracker.Tx) (schema.Rewards, error) {
			return LoadRewards(tx, it, part, int(min(left, schema.ChunkSteps)))
		})
		if err == nil {
			err = visit(rewards)
		}
		if err != nil {
			return err
		}
		part++
	}
	if n := len(it.RecordsOf(schema.KindRewards)); n != part {
		return fmt.Errorf("%w: %d records of rewards for %d chunks", wire.ErrMalformed, n, part)
	}
	return nil
}

// LoadRewards reads the rewards of the part-th chunk of an iteration. It returns an error unless there is one for each
// of the chunk's steps.
func LoadRewards(tx *tracker.Tx, it schema.Iteration, part, steps int) (schema.Rewards, error) {
	names := it.RecordsOf(schema.KindRewards)
	if part >= len(names) {
		return nil, fmt.Errorf("%w: %d records of rewards, none for chunk %d", wire.ErrMalformed, len(names), part)
	}
	r, err := tracker.Load(tx, names[part], schema.DecodeRewards)
	if err == nil {
		err = CheckRewards(r, steps)
	}
	return r, err
}

// CheckRewards returns an error unless there are as many rewards as steps.
func CheckRewards(r schema.Rewards, steps int) error {
	if len(r) != steps {
		return fmt.Errorf("%w: %d rewards for %d steps", wire.ErrMalformed, len(r), steps)
	}
	return nil
}

// NewPositionFunc returns a function that maps each step of a walk, visited in order, to the [collect.Position] that it
// leads to. In an environment with episodes one begins at each of the iterations, which the numbers of their first
// steps say. It returns nil if the environment defines no distance.
func NewPositionFunc(env envs.Env, iterations []int64) func(Step) int64 {
	p := collect.NewPosition(env)
	if p == nil {
		return nil
	}
	episodes, begins := envs.HasEpisodes(env), true
	return func(s Step) int64 {
		if len(iterations) > 0 && s.T == iterations[0] {
			begins, iterations = begins || episodes, iterations[1:]
		}
		if begins {
			p.Begin(s.State)
		}
		begins = s.Resets
		return p.Step(s.Action, s.Next)
	}
}
