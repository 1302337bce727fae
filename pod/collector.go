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
	Running     RunningEnv       // nil where Env is [ActionsDetermineStates]
	Options     []*schema.Option // the action set beyond the primitive actions, in option order
	Stream      *Stream
	State       int
	Executing   int   // the option in force, or schema.Primitive
	StepsInCall int64 // steps since it was called

	extendedTo int // states that the options were extended to
}

// Collect appends exactly n steps to t. In a world it may fail; the steps before are
// in t then, and it is as if what came after them had not been decided.
func (c *Collector) Collect(ctx context.Context, t *schema.Transitions, n int) error {
	arity := len(c.Env.Actions())
	before := *c.Stream // the last decision
	c.extendPolicies()
	for n > 0 {
		if c.Executing != schema.Primitive {
			left, err := c.followOption(ctx, t, n)
			if err != nil {
				c.undoCall(t, before)
				return err
			}
			n = left
			continue
		}
		before = *c.Stream
		choice := c.Stream.Below(arity + c.countAvailable())
		if choice < arity {
			if c.Running == nil {
				c.stepModel(t, choice)
			} else if _, err := c.stepRunning(ctx, t, choice); err != nil {
				*c.Stream = before
				return err
			}
			appendPrimitiveStep(t)
			n--
			continue
		}
		c.Executing, c.StepsInCall = c.nthAvailable(choice-arity), 0
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)})
	}
	return nil
}

// undoCall takes back a call of which no step was done, and what was noted of it.
func (c *Collector) undoCall(t *schema.Transitions, before Stream) {
	if last := len(t.Spans) - 1; t.Spans[last].Steps == 0 {
		t.Spans = t.Spans[:last]
	}
	if c.StepsInCall == 0 {
		c.Executing, *c.Stream = schema.Primitive, before
	}
}

// extendPolicies gives the options a policy in states that they did not know.
func (c *Collector) extendPolicies() {
	if n := c.Env.States(); n > c.extendedTo {
		ExtendPolicies(c.Env, c.Options)
		c.extendedTo = n
	}
}

// followOption obeys the option in force for up to n steps and returns those left.
func (c *Collector) followOption(ctx context.Context, t *schema.Transitions, n int) (left int, err error) {
	option := c.Options[c.Executing]
	if last := len(t.Spans) - 1; last < 0 || t.Spans[last].Option != int32(c.Executing) {
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)}) // goes on from the chunk before
	}
	span := &t.Spans[len(t.Spans)-1]
	for ; n > 0; n-- {
		ended, a := false, int(option.Policy[c.State])
		if c.Running == nil {
			c.stepModel(t, a)
		} else if ended, err = c.stepRunning(ctx, t, a); err != nil {
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

func (c *Collector) stepModel(t *schema.Transitions, a int) {
	t.Actions = append(t.Actions, uint8(a))
	c.State = c.Env.Step(c.State, a)
}

// stepRunning is [Collector.stepModel] in a world. It reports whether that ended an episode.
func (c *Collector) stepRunning(ctx context.Context, t *schema.Transitions, a int) (ended bool, err error) {
	o, err := c.Running.Step(ctx, a)
	if err != nil {
		return false, err
	}
	t.Actions, t.Next = append(t.Actions, uint8(a)), append(t.Next, uint32(o.State))
	c.extendPolicies()
	c.State = o.State
	if o.End == NotEnded {
		return false, nil
	}
	c.State = o.NextStart
	t.Episodes = append(t.Episodes, schema.Episode{Step: uint64(len(t.Actions)), State: uint64(o.NextStart), Terminated: o.End == Terminated})
	return true, nil
}

// countAvailable counts the options that can start here.
func (c *Collector) countAvailable() int {
	n := 0
	for _, o := range c.Options {
		if o.CanStart(c.State) {
			n++
		}
	}
	return n
}

// nthAvailable is the number of the i-th option that can start here.
func (c *Collector) nthAvailable(i int) int {
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

// appendPrimitiveStep counts one more step of primitive actions.
func appendPrimitiveStep(t *schema.Transitions) {
	if last := len(t.Spans) - 1; last >= 0 && t.Spans[last].Option == schema.Primitive {
		t.Spans[last].Steps++
		return
	}
	t.Spans = append(t.Spans, schema.Span{Steps: 1, Option: schema.Primitive})
}
