package pod

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// WalkStream is the use of the stream that the default policy draws from.
const WalkStream = "walk"

// Collector is the agent: it acts by the default policy, uniform over the
// primitive actions and then the options whose I holds the state, in option
// order. One decision takes one draw. Its fields are all of its memory.
type Collector struct {
	Env         Env
	World       RunningEnv       // nil where Env is [ActionsDetermineStates]
	Options     []*schema.Option // the action set beyond the primitive actions, in option order
	Stream      *Stream
	State       int
	Executing   int   // the option in force, or schema.Primitive
	StepsInCall int64 // steps since it was called

	known int // states that the options were extended to
}

// Collect appends exactly n steps to t. In a world it may fail; the steps before are
// in t then, and it is as if what came after them had not been decided.
func (c *Collector) Collect(ctx context.Context, t *schema.Transitions, n int) error {
	arity := len(c.Env.Actions())
	before := *c.Stream // the last decision
	c.extend()
	for n > 0 {
		if c.Executing != schema.Primitive {
			left, err := c.follow(ctx, t, n)
			if err != nil {
				c.undo(t, before)
				return err
			}
			n = left
			continue
		}
		before = *c.Stream
		choice := c.Stream.Below(arity + c.available())
		if choice < arity {
			if c.World == nil {
				c.step(t, choice)
			} else if _, err := c.act(ctx, t, choice); err != nil {
				*c.Stream = before
				return err
			}
			extend(t)
			n--
			continue
		}
		c.Executing, c.StepsInCall = c.nth(choice-arity), 0
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)})
	}
	return nil
}

// undo takes back a call of which no step was done, and what was noted of it.
func (c *Collector) undo(t *schema.Transitions, before Stream) {
	if last := len(t.Spans) - 1; t.Spans[last].Steps == 0 {
		t.Spans = t.Spans[:last]
	}
	if c.StepsInCall == 0 {
		c.Executing, *c.Stream = schema.Primitive, before
	}
}

// extend gives the options a policy in states that they did not know.
func (c *Collector) extend() {
	if n := c.Env.States(); n > c.known {
		ExtendPolicies(c.Env, c.Options)
		c.known = n
	}
}

// follow obeys the option in force for up to n steps and returns those left.
func (c *Collector) follow(ctx context.Context, t *schema.Transitions, n int) (left int, err error) {
	option := c.Options[c.Executing]
	if last := len(t.Spans) - 1; last < 0 || t.Spans[last].Option != int32(c.Executing) {
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)}) // goes on from the chunk before
	}
	span := &t.Spans[len(t.Spans)-1]
	for ; n > 0; n-- {
		ended, a := false, int(option.Policy[c.State])
		if c.World == nil {
			c.step(t, a)
		} else if ended, err = c.act(ctx, t, a); err != nil {
			return n, err
		}
		span.Steps++
		c.StepsInCall++
		if ended || !option.CanStart(c.State) || c.StepsInCall == option.Certificate.MaxSteps {
			c.Executing = schema.Primitive
			return n - 1, nil
		}
	}
	return 0, nil
}

func (c *Collector) step(t *schema.Transitions, a int) {
	t.Actions = append(t.Actions, uint8(a))
	c.State = c.Env.Step(c.State, a)
}

// act is [Collector.step] in a world. It reports whether that ended an episode.
func (c *Collector) act(ctx context.Context, t *schema.Transitions, a int) (ended bool, err error) {
	o, err := c.World.Step(ctx, a)
	if err != nil {
		return false, err
	}
	t.Actions, t.Next = append(t.Actions, uint8(a)), append(t.Next, uint32(o.State))
	c.extend()
	c.State = o.State
	if o.End == NotEnded {
		return false, nil
	}
	c.State = o.NextStart
	t.Episodes = append(t.Episodes, schema.Episode{Step: uint64(len(t.Actions)), State: uint64(o.NextStart), Terminated: o.End == Terminated})
	return true, nil
}

// available counts the options that can start here.
func (c *Collector) available() int {
	n := 0
	for _, o := range c.Options {
		if o.CanStart(c.State) {
			n++
		}
	}
	return n
}

// nth is the number of the i-th option that can start here.
func (c *Collector) nth(i int) int {
	for number, o := range c.Options {
		if o.CanStart(c.State) {
			if i == 0 {
				return number
			}
			i--
		}
	}
	panic("pod: fewer options than were counted")
}

// extend counts one more step of primitive actions.
func extend(t *schema.Transitions) {
	if last := len(t.Spans) - 1; last >= 0 && t.Spans[last].Option == schema.Primitive {
		t.Spans[last].Steps++
		return
	}
	t.Spans = append(t.Spans, schema.Span{Steps: 1, Option: schema.Primitive})
}
