package collect

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// WalkStream is the purpose of the random stream of the default policy.
const WalkStream = "walk"

// A Collector is the agent that acts by the default policy: uniform over the primitive
// actions and then the options whose I holds the state, in option order. One decision
// consumes one draw.
//
// With an OptionProbability, a decision in a state with available options first draws whether to call an option, and
// then which option or primitive action. That is the policy of the ROD cycle, which has 0.05 (Machado, Barreto, Precup
// & Bowling, "Temporal abstraction in reinforcement learning with the successor representation", JMLR 24, 2023).
//
// With a Persistence, a decision for an action also draws for how many steps it is taken, whichever states it leads to,
// before the next decision. The end of an episode or of the iteration ends that. A call of an option is a decision as
// ever, and no longer.
//
// Its exported fields are all of its state.
type Collector struct {
	Env     envs.Env
	Running envs.RunningEnv // nil if [envs.ActionsDetermineStates]
	Options OptionSet       // the action set beyond the primitive actions
	Starts  *Starts         // where they can start, as earlier iterations remembered; nil if nothing is
	Stream  *rng.Stream

	OptionProbability float64      // 0 for one draw among all
	Persistence       *Persistence // nil for a decision in each step

	Rewards *schema.Rewards // takes the reward of each step, unless it is nil

	State       int
	Executing   int   // number of the executing option, or schema.Primitive
	StepsInCall int64 // steps of its call so far
	Held        Hold  // the action that is taken next, without a decision

	extendedTo int               // number of states that the policies cover
	dynamics   envs.SteppableEnv // Env, if its actions determine the states
	batched    BatchedEnv        // Running, if it can take steps ahead
	ahead      int               // number of steps that it took ahead; 0 between calls of Collect
}

// Collect appends exactly n steps to t. With a running environment it may fail; then t
// holds the steps before the failure, and no decision of later steps has been made.
func (c *Collector) Collect(ctx context.Context, t *schema.Transitions, n int) error {
	if steps, ok := envs.As[envs.SteppableEnv](c.Env); ok {
		c.dynamics = steps
	} else if c.Running == nil {
		return fmt.Errorf("%w: it must be running for an agent to act in it", envs.ErrModel)
	}
	arity := len(c.Env.Actions())
	before := decision{*c.Stream, c.Held} // the last one
	c.extendPolicies()
	if c.Persistence == nil && !slices.ContainsFunc(c.Options.Options, (*schema.Option).HasStart) {
		// otherwise the environment cannot decide as the agent does
		c.batched, _ = c.Running.(BatchedEnv)
	}
	c.ahead = 0
	for n > 0 {
		if err := c.stepAhead(ctx, n); err != nil {
			return err
		}
		if c.Executing != schema.Primitive {
			left, err := c.followOption(ctx, t, n)
			if err != nil {
				if last := len(t.Spans) - 1; t.Spans[last].Steps == 0 {
					t.Spans = t.Spans[:last]
				}
				if c.StepsInCall == 0 { // the call is undone
					c.Executing, *c.Stream = schema.Primitive, before.stream
				}
				return err
			}
			n = left
			continue
		}
		before = decision{*c.Stream, c.Held}
		choice := c.choose(arity)
		if choice < arity {
			if c.Running == nil {
				c.stepModel(t, choice)
			} else if _, err := c.stepRunning(ctx, t, choice); err != nil {
				*c.Stream, c.Held = before.stream, before.held
				return err
			}
			AppendPrimitiveStep(t)
			n--
			continue
		}
		c.Executing, c.StepsInCall = c.nthAvailable(choice-arity), 0
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)})
	}
	return nil
}

// decision is what the agent's next decision depends on, beside its state.
type decision struct {
	stream rng.Stream
	held   Hold
}

// choose returns the action that is held, or draws one or an option: the index of an action or, for the n-th available
// option, the number of actions plus n.
func (c *Collector) choose(arity int) int {
	if c.Held.Steps > 0 {
		if c.Held.Steps--; c.Held.Steps == 0 {
			c.Held.Steps = c.Persistence.goOn(c.Stream)
		}
		return c.Held.Action
	}
	var choice int
	switch available := c.countAvailable(); {
	case c.OptionProbability == 0:
		choice = c.Stream.Below(arity + available)
	case available > 0 && c.Stream.Chance(c.OptionProbability):
		return arity + c.Stream.Below(available)
	default:
		choice = c.Stream.Below(arity)
	}
	if choice < arity && c.Persistence != nil {
		c.Held = Hold{Action: choice, Steps: c.Persistence.begin(c.Stream)}
	}
	return choice
}

// fewOptions is up to how many options a look at each is as fast as what is remembered of a state.
const fewOptions = 16

// countAvailable returns the number of options that can start in the agent's state.
func (c *Collector) countAvailable() int {
	switch n := len(c.Options.Options); {
	case n == 0:
		return 0
	case n <= fewOptions || c.Starts == nil:
		return c.Options.countAt(c.State)
	}
	return c.Starts.at(c.Options, c.State).count
}

// nthAvailable returns the number of the n-th option that can start in the agent's state, from 0.
func (c *Collector) nthAvailable(n int) int {
	if len(c.Options.Options) <= fewOptions || c.Starts == nil {
		return c.Options.nthAt(c.State, n)
	}
	return c.Starts.at(c.Options, c.State).nth(n)
}

// extendPolicies extends the options' policies to states that were discovered after they were learned.
func (c *Collector) extendPolicies() {
	if n := c.Env.States(); n > c.extendedTo {
		envs.ExtendPolicies(c.Env, c.Options.Options)
		c.extendedTo = n
	}
}

// followOption follows the executing option for up to n steps and returns the number of
// steps left.
func (c *Collector) followOption(ctx context.Context, t *schema.Transitions, n int) (left int, err error) {
	option := c.Options.At(c.Executing)
	if last := len(t.Spans) - 1; last < 0 || t.Spans[last].Option != int32(c.Executing) {
		t.Spans = append(t.Spans, schema.Span{Option: int32(c.Executing)}) // continues from the previous chunk
	}
	span := &t.Spans[len(t.Spans)-1]
	for ; n > 0; n-- {
		if err := c.stepAhead(ctx, n); err != nil {
			return n, err
		}
		ended, a := false, int(option.Policy[c.State])
		if c.Running == nil {
			c.stepModel(t, a)
		} else if ended, err = c.stepRunning(ctx, t, a); err != nil {
			return n, err
		}
		span.Steps++
		c.StepsInCall++
		if ended || option.EndsIn(c.State) || c.StepsInCall == option.Certificate.MaxSteps {
			c.Executing = schema.Primitive
			return n - 1, nil
		}
	}
	return 0, nil
}

// stepAhead lets the environment take up to n of the next steps ahead, if it can and has no results left. The collector
// still makes every decision itself, step by step; the environment checks that they agree with its own.
func (c *Collector) stepAhead(ctx context.Context, n int) (err error) {
	if c.batched == nil || c.ahead > 0 {
		return nil
	}
	if n = min(n, c.batched.BatchSize()); n < 2 {
		return nil
	}
	if len(c.Options.Options) == 0 {
		stream, actions := *c.Stream, make([]uint8, n)
		for i := range actions {
			actions[i] = uint8(stream.Below(len(c.Env.Actions())))
		}
		c.ahead, err = c.batched.StepAhead(ctx, actions)
		return err
	}
	_, byFeatures := c.Env.(*envs.External)
	c.ahead, err = c.batched.WalkAhead(ctx, Walk{
		Steps: n, State: c.State, Options: c.Options, Stream: *c.Stream, OptionProbability: c.OptionProbability,
		Executing: c.Executing, StepsInCall: c.StepsInCall, ByFeatures: byFeatures,
	})
	return err
}

func (c *Collector) stepModel(t *schema.Transitions, a int) {
	t.Actions = append(t.Actions, uint8(a))
	c.State = c.dynamics.Step(c.State, a)
}

// stepRunning takes action a in the running environment and reports whether that ended an
// episode.
func (c *Collector) stepRunning(ctx context.Context, t *schema.Transitions, a int) (ended bool, err error) {
	o, err := c.Running.Step(ctx, a)
	if err != nil {
		return false, err
	}
	c.ahead = max(c.ahead-1, 0)
	t.Actions, t.Next = append(t.Actions, uint8(a)), append(t.Next, uint32(o.State))
	if c.Rewards != nil {
		*c.Rewards = append(*c.Rewards, o.Reward)
	}
	c.extendPolicies()
	c.State = o.State
	if o.End == envs.NotEnded {
		return false, nil
	}
	c.State, c.Held = o.NextStart, Hold{}
	t.Episodes = append(t.Episodes, schema.Episode{Step: uint64(len(t.Actions)), State: uint64(o.NextStart),
		Terminated: o.End == envs.Terminated})
	return true, nil
}

// AppendPrimitiveStep adds a step of a primitive action to the spans.
func AppendPrimitiveStep(t *schema.Transitions) {
	if last := len(t.Spans) - 1; last >= 0 && t.Spans[last].Option == schema.Primitive {
		t.Spans[last].Steps++
		return
	}
	t.Spans = append(t.Spans, schema.Span{Steps: 1, Option: schema.Primitive})
}
