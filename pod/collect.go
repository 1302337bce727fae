package pod

import "github.com/podtrack/podtrack/schema"

// WalkStream is the use of the stream that the default policy draws from.
const WalkStream = "walk"

// Collector is the agent: it acts by the default policy, uniform over the
// primitive actions and then the options whose I holds the state, in option
// order. One decision takes one draw. Its fields are all of its memory.
type Collector struct {
	Env     Env
	Options []*schema.Option // the action set beyond the primitive actions, in option order
	Stream  *Stream
	State   int
	Force   int // the option in force, or schema.Primitive
}

// Walk appends exactly n steps to t.
func (c *Collector) Walk(t *schema.Transitions, n int) {
	arity := len(c.Env.Actions())
	for n > 0 {
		if c.Force != schema.Primitive {
			n = c.follow(t, n)
			continue
		}
		choice := c.Stream.Below(arity + c.available())
		if choice < arity {
			c.step(t, choice)
			extend(t)
			n--
			continue
		}
		c.Force = c.nth(choice - arity)
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Force)})
	}
}

// follow obeys the option in force for up to n steps and returns those left.
func (c *Collector) follow(t *schema.Transitions, n int) int {
	policy := c.Options[c.Force].Policy
	if last := len(t.Spans) - 1; last < 0 || t.Spans[last].Option != int32(c.Force) {
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Force)}) // goes on from the chunk before
	}
	span := &t.Spans[len(t.Spans)-1]
	for ; n > 0; n-- {
		c.step(t, int(policy[c.State]))
		span.Steps++
		if policy[c.State] == schema.Terminate {
			c.Force = schema.Primitive
			return n - 1
		}
	}
	return 0
}

func (c *Collector) step(t *schema.Transitions, a int) {
	t.Actions = append(t.Actions, uint8(a))
	c.State = c.Env.Step(c.State, a)
}

// available counts the options that can start here.
func (c *Collector) available() int {
	n := 0
	for _, o := range c.Options {
		if o.Starts(c.State) {
			n++
		}
	}
	return n
}

// nth is the number of the i-th option that can start here.
func (c *Collector) nth(i int) int {
	for number, o := range c.Options {
		if o.Starts(c.State) {
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
