package pod

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// An ExternalCollector takes the steps of an iteration from an external function. It checks each step: the environment,
// as far as it is known, must allow it, and a step of an option must take the option's action.
type ExternalCollector struct {
	Spec    schema.Spec
	K       int
	Env     envs.Env
	Options collect.OptionSet
	State   int // in which the previous iteration ended or the run begins
	Stages  StageSource
	Rewards *schema.Rewards // takes the reward of each step, unless it is nil
	Link    schema.Digest   // of the iteration before

	checker stepChecker
	done    int64
	pending CollectOutput // of the first call, until it is appended
}

// Begin asks for the first steps, at most n, and returns the state before them.
func (e *ExternalCollector) Begin(ctx context.Context, n int) (state int, err error) {
	if e.pending, err = e.ask(ctx, n); err != nil {
		return 0, err
	}
	e.checker = newStepChecker(e.Env, e.Options)
	if err := e.checker.begin(e.pending.Start, e.State); err != nil {
		return 0, stageError(ctx, CollectStage.name, err)
	}
	return e.pending.Start, nil
}

// Append appends the next steps, at most n, to t.
func (e *ExternalCollector) Append(ctx context.Context, t *schema.Transitions, n int) error {
	out := e.pending
	if e.pending = (CollectOutput{}); out.Actions == nil {
		var err error
		if out, err = e.ask(ctx, n); err != nil {
			return err
		}
	}
	envs.ExtendPolicies(e.Env, e.Options.Options)
	t.Actions = slices.Grow(t.Actions, len(out.Actions))
	if t.Next != nil {
		t.Next = slices.Grow(t.Next, len(out.Next))
	}
	starts := out.Starts
	for i, a := range out.Actions {
		s := collectedStep{action: int(a), option: schema.Primitive, next: -1}
		if out.Options != nil {
			s.option = int(out.Options[i])
		}
		if out.Next != nil {
			s.next = out.Next[i]
		}
		if out.Ends != nil && out.Ends[i] != envs.NotEnded {
			s.end, s.start, starts = out.Ends[i], starts[0], starts[1:]
		}
		if err := e.checker.step(&s, false); err != nil {
			return stageError(ctx, CollectStage.name, fmt.Errorf("step %d: %w", e.done+int64(i), err))
		}
		e.checker.append(t, s)
	}
	if e.Rewards != nil {
		for _, r := range out.Rewards {
			*e.Rewards = append(*e.Rewards, r+0) // never −0
		}
	}
	e.done += int64(len(out.Actions))
	return nil
}

// StateNow returns the state after the steps so far.
func (e *ExternalCollector) StateNow() int { return e.checker.state }

// ask calls the function, and checks the form of what it returns.
func (e *ExternalCollector) ask(ctx context.Context, n int) (CollectOutput, error) {
	state := e.State
	if e.done > 0 {
		state = e.checker.state
	}
	in := CollectInput{
		Spec: e.Spec, K: e.K, First: e.done, Steps: n, State: state, Env: e.Env, Options: e.Options,
		Link: e.Link,
	}
	out, err := CollectStage.call(ctx, e.Stages, e.Spec, in,
		func(out CollectOutput) error { return out.check(n, e.Rewards != nil) })
	if e.done == 0 && errors.Is(err, ErrCollectedAll) {
		err = ErrCollectedAll // not a failure of the stage
	}
	return out, err
}

// check returns an error unless the output is well-formed and has at most n steps.
func (c CollectOutput) check(n int, rewards bool) error {
	steps := len(c.Actions)
	if steps < 1 || steps > n {
		return schema.Hint(fmt.Errorf("it returned %d steps, but at most %d were requested", steps, n),
			"return at least one step, and no more than requested")
	}
	ended := 0
	for _, end := range c.Ends {
		if end != envs.NotEnded {
			ended++
		}
	}
	wrong := func(what string, length, want int) error {
		return schema.Hint(fmt.Errorf("it returned %d %s, for %d steps, %d of which ended an episode", length, what, steps,
			ended), "return %d", want)
	}
	switch {
	case c.Options != nil && len(c.Options) != steps:
		return wrong("options", len(c.Options), steps)
	case c.Next != nil && len(c.Next) != steps:
		return wrong("states", len(c.Next), steps)
	case c.Ends != nil && len(c.Ends) != steps:
		return wrong("ends", len(c.Ends), steps)
	case len(c.Starts) != ended:
		return wrong("states in which the next episode begins", len(c.Starts), ended)
	case rewards && len(c.Rewards) != steps:
		return wrong("rewards", len(c.Rewards), steps)
	case !rewards && len(c.Rewards) > 0:
		return schema.Hint(fmt.Errorf("it returned rewards of an environment that declares none"),
			"leave them out, or declare that steps have rewards")
	}
	for i, r := range c.Rewards {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return schema.Hint(fmt.Errorf("the reward of step %d is %v", i, r), "return finite numbers")
		}
	}
	return nil
}

// VerifyCollected returns a function that verifies the recorded transitions of an external collector, chunk by chunk,
// in an iteration with an action set. previous is the state in which the previous iteration ended, or the run begins.
// The function returns [wire.ErrMalformed] unless the next chunk is possible. In an environment that is only observed,
// it only verifies that steps of options take the options' actions.
func VerifyCollected(env envs.Env, options collect.OptionSet, previous int) func(*schema.Transitions) error {
	envs.ExtendPolicies(env, options.Options)
	checker, done := newStepChecker(env, options), 0
	return func(chunk *schema.Transitions) error {
		if done == 0 {
			if err := checker.begin(int(chunk.Start), previous); err != nil {
				return fmt.Errorf("%w: %w", wire.ErrMalformed, err)
			}
		}
		if err := checker.verify(chunk); err != nil {
			return fmt.Errorf("%w: step %d: %w", wire.ErrMalformed, done+checker.at, err)
		}
		done += len(chunk.Actions)
		return nil
	}
}

// collectedStep is a step of an external collector.
type collectedStep struct {
	action, option int
	next           int // −1 where the action determines it
	end            envs.EpisodeEnd
	start          int // in which the next episode begins, if this one ended
}

// stepChecker checks collected steps, one after another.
type stepChecker struct {
	env      envs.Env
	options  collect.OptionSet
	steps    envs.SteppableEnv // where actions determine the states, else nil
	model    *envs.Model       // where it is known and the actions do not, else nil
	episodic envs.Episodic     // where episodes are known, else nil
	grows    bool              // the environment is only observed

	state        int
	executing    int
	callSteps    int64
	episodeSteps int64
	over         bool // the executing option's call has ended
	at           int  // the step in the chunk that is verified
}

func newStepChecker(env envs.Env, options collect.OptionSet) stepChecker {
	c := stepChecker{env: env, options: options, executing: schema.Primitive}
	if _, c.grows = envs.As[envs.GrowingEnv](env); c.grows {
		return c
	}
	if envs.ActionsDetermineStates(env) {
		c.steps, _ = envs.As[envs.SteppableEnv](env)
		return c
	}
	if m, ok := envs.As[envs.ModelEnv](env); ok {
		c.model = m.Model()
	}
	if envs.HasEpisodes(env) {
		c.episodic, _ = envs.As[envs.Episodic](env)
	}
	return c
}

// begin begins an iteration in a state.
func (s *stepChecker) begin(state, previous int) error {
	if state < 0 || state >= s.env.States() {
		return schema.Hint(fmt.Errorf("the iteration begins in state %d; there are %d states", state, s.env.States()),
			"states are numbered from 0")
	}
	switch {
	case s.grows:
	case s.episodic != nil && !slices.Contains(s.episodic.StartStates(), state):
		return schema.Hint(fmt.Errorf("the iteration begins in state %d, in which no episode begins", state),
			"begin each iteration with an episode, in a state in which one can begin")
	case s.episodic == nil && state != previous && state != envs.StartState(s.env):
		return schema.Hint(fmt.Errorf("the iteration begins in state %d", state),
			"begin in state %d, in which the previous iteration ended, or in the environment's first state, %d", previous,
			envs.StartState(s.env))
	}
	s.state = state
	return nil
}

// step checks a step, sets its next state, and advances. If calls is true, the step calls its option anew. Otherwise it
// does so only if another option was executing, or its call has ended.
func (s *stepChecker) step(step *collectedStep, calls bool) error {
	if step.action < 0 || step.action >= len(s.env.Actions()) {
		return schema.Hint(fmt.Errorf("action %d; there are %d actions", step.action, len(s.env.Actions())),
			"actions are numbered from 0")
	}
	if calls || s.over || step.option != s.executing {
		s.executing, s.callSteps, s.over = step.option, 0, false
	}
	if step.option != schema.Primitive {
		if err := s.checkOption(step); err != nil {
			return err
		}
	}
	if err := s.checkNext(step); err != nil {
		return err
	}
	s.episodeSteps++
	if err := s.checkEnd(step); err != nil {
		return err
	}
	s.state, s.callSteps = step.next, s.callSteps+1
	if step.option != schema.Primitive {
		o := s.options.At(step.option)
		s.over = step.end != envs.NotEnded || o.EndsIn(step.next) || s.callSteps == o.Certificate.MaxSteps
	}
	if step.end != envs.NotEnded {
		s.state, s.episodeSteps = step.start, 0
	}
	return nil
}

// checkOption checks that the action is that of the option.
func (s *stepChecker) checkOption(step *collectedStep) error {
	if !s.options.Contains(step.option) {
		return schema.Hint(fmt.Errorf("option %d, which is not in the action set", step.option),
			"it has those of earlier iterations, %d to %d; -1 is none", s.options.First, s.options.End()-1)
	}
	o := s.options.At(step.option)
	switch {
	case o.EndsIn(s.state):
		return schema.Hint(fmt.Errorf("option %d in state %d, in which it does not act", step.option, s.state),
			"an option ends where its policy has no action")
	case s.callSteps == 0 && !o.CanStart(s.state):
		return schema.Hint(fmt.Errorf("option %d called in state %d, in which it cannot start", step.option, s.state),
			"it starts in state %d alone", *o.Purpose.Start)
	}
	if want := int(o.Policy[s.state]); want != step.action {
		return schema.Hint(fmt.Errorf("action %d (%s) in state %d under option %d, whose policy takes %d (%s) there",
			step.action, s.env.Actions()[step.action], s.state, step.option, want, s.env.Actions()[want]),
			"name no option, -1, where it was not followed")
	}
	return nil
}

// checkNext checks that the action can lead to the next state, and sets that where the action determines it.
func (s *stepChecker) checkNext(step *collectedStep) error {
	impossible := func() error {
		return schema.Hint(fmt.Errorf("action %d (%s) cannot lead from state %d to %d", step.action,
			s.env.Actions()[step.action], s.state, step.next),
			"number states and actions as the environment does, or declare an environment of your own")
	}
	if s.steps != nil {
		next := s.steps.Step(s.state, step.action)
		if step.next >= 0 && step.next != next {
			return impossible()
		}
		step.next = next
		return nil
	}
	if step.next < 0 || step.next >= s.env.States() {
		return schema.Hint(fmt.Errorf("a step to state %d; there are %d states", step.next, s.env.States()),
			"states are numbered from 0")
	}
	if s.model == nil {
		return nil
	}
	found := false
	s.model.VisitSuccessors(s.state, step.action, func(n envs.Successor) { found = found || int(n.Next) == step.next })
	if !found {
		return impossible()
	}
	return nil
}

// checkEnd checks that an episode ends where the environment ends it.
func (s *stepChecker) checkEnd(step *collectedStep) error {
	if s.grows {
		if step.end != envs.NotEnded && (step.start < 0 || step.start >= s.env.States()) {
			return fmt.Errorf("the next episode begins in state %d; there are %d states", step.start, s.env.States())
		}
		return nil
	}
	want := envs.NotEnded
	switch {
	case s.episodic == nil:
	case s.episodic.IsTerminal(step.next):
		want = envs.Terminated
	case s.episodeSteps == s.episodic.EpisodeLimit():
		want = envs.Truncated
	}
	if step.end != want {
		return schema.Hint(fmt.Errorf("the episode is %s after a step to state %d, but in the environment it is %s",
			endNames[step.end], step.next, endNames[want]), "end episodes where the environment does")
	}
	if step.end != envs.NotEnded && !slices.Contains(s.episodic.StartStates(), step.start) {
		return schema.Hint(fmt.Errorf("the next episode begins in state %d, in which no episode can begin", step.start),
			"begin episodes where the environment does")
	}
	return nil
}

// endNames are how episodes end, for messages.
var endNames = map[envs.EpisodeEnd]string{
	envs.NotEnded: "going on", envs.Terminated: "terminated", envs.Truncated: "truncated",
}

// append appends the step that was checked last to a chunk.
func (s *stepChecker) append(t *schema.Transitions, step collectedStep) {
	t.Actions = append(t.Actions, uint8(step.action))
	if t.Next != nil {
		t.Next = append(t.Next, uint32(step.next))
	}
	if step.end != envs.NotEnded {
		t.Episodes = append(t.Episodes, schema.Episode{Step: uint64(len(t.Actions)), State: uint64(step.start),
			Terminated: step.end == envs.Terminated})
	}
	if step.option == schema.Primitive {
		collect.AppendPrimitiveStep(t)
		return
	}
	if last := len(t.Spans) - 1; last < 0 || t.Spans[last].Option != int32(step.option) || s.callSteps == 1 {
		t.Spans = append(t.Spans, schema.Span{Option: int32(step.option)})
	}
	t.Spans[len(t.Spans)-1].Steps++
}

// verify checks a chunk of recorded steps whose form has been checked.
func (s *stepChecker) verify(t *schema.Transitions) error {
	if err := collect.CheckStates(s.env, t); err != nil {
		return err
	}
	episodes := t.Episodes
	s.at = 0
	for i, span := range t.Spans {
		for n := range span.Steps {
			step := collectedStep{action: int(t.Actions[s.at]), option: int(span.Option), next: -1}
			if t.Next != nil {
				step.next = int(t.Next[s.at])
			}
			if len(episodes) > 0 && episodes[0].Step == uint64(s.at+1) {
				step.end, step.start = envs.Truncated, int(episodes[0].State)
				if episodes[0].Terminated {
					step.end = envs.Terminated
				}
				episodes = episodes[1:]
			}
			if err := s.step(&step, n == 0 && i > 0); err != nil {
				return err
			}
			if n > 0 && s.callSteps == 1 && step.option != schema.Primitive {
				return fmt.Errorf("a call of option %d continues after its end", step.option)
			}
			s.at++
		}
	}
	return nil
}
