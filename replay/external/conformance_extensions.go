package external

import (
	"context"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// extensions repeats the walk in a process that is offered none, and lets a program that decides by itself follow
// options, which [runningEnv.Step] verifies.
func (t *conformanceTest) extensions(ctx context.Context) (Verdict, string, error) {
	w, err := t.fresh(ctx)
	if err != nil {
		return Failed, "", err
	}
	used := w.abilities.extensions
	if len(used) == 0 {
		return Absent, "it uses none: a message has one step", nil
	}
	plain := t.command
	plain.Extensions = []string{}
	if err := t.repeatWithout(ctx, plain); err != nil {
		return Failed, "", fmt.Errorf("without extensions: %w", err)
	}
	for _, p := range []float64{0, 0.5} {
		if !w.uses(policiesExtension) {
			break
		}
		if err := t.followOptions(ctx, w, t.madeUpOptions(), p); err != nil {
			return Failed, "", fmt.Errorf("by policies: %w", err)
		}
		if err := t.followOptions(ctx, w, t.weightedOptions(), p); err != nil {
			return Failed, "", fmt.Errorf("by weights: %w", err)
		}
	}
	return OK, strings.Join(used, ", ") + ": the same steps without them", nil
}

// repeatWithout repeats the walk in another process.
func (t *conformanceTest) repeatWithout(ctx context.Context, c Command) error {
	w, err := c.open(ctx, t.env, t.seen)
	if err != nil {
		return err
	}
	defer w.Close()
	if err = t.checkReset(ctx, w); err == nil {
		err = t.repeatSteps(ctx, w, 0, len(t.walk.actions))
	}
	return err
}

// followOptions walks with two options that the program follows by itself, and repeats the actions.
func (t *conformanceTest) followOptions(
	ctx context.Context, w *runningEnv, options []*schema.Option, probability float64,
) error {
	state, err := t.begin(ctx, w, 0)
	if err != nil {
		return err
	}
	w.policies = sentPolicies{} // of the options before
	stream := pod.NewStream(t.seed, 1, pod.WalkStream)
	agent := pod.Collector{Env: t.known, Running: w, Stream: stream, State: state, Executing: schema.Primitive,
		OptionProbability: probability, Options: pod.OptionSet{Options: options}}
	walk := schema.Transitions{Start: uint64(state), Arity: len(t.known.Actions()), Next: []uint32{}}
	if err := agent.Collect(ctx, &walk, len(t.walk.actions)); err != nil {
		return err
	}
	if _, err := t.begin(ctx, w, 0); err != nil {
		return err
	}
	i, err := pod.TakeSteps(ctx, alone{w}, walk.Actions, func(i int, o pod.StepResult) error {
		if o.State != int(walk.Next[i]) {
			return schema.Hint(fmt.Errorf("%w: another observation when the program decides",
				pod.ErrEnvNotRepeatable), "%s", hintRepeat)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("step %d: %w", i, err)
	}
	return err
}

// weightedOptions returns two options with random weights, which act in all states.
func (t *conformanceTest) weightedOptions() []*schema.Option {
	stream, options := pod.NewStream(t.seed, 3, pod.WalkStream), make([]*schema.Option, 2)
	for i := range options {
		theta := schema.NewTheta(len(t.known.Actions()), len(t.known.Features()))
		for j := range theta.Weights {
			theta.Weights[j] = float64(stream.Below(2001)-1000) / 1000
		}
		options[i] = &schema.Option{Arity: theta.Actions, Theta: &theta,
			Certificate: schema.Certificate{MaxSteps: int64(7 * i), Tolerance: 0.1}}
	}
	pod.ExtendPolicies(t.known, options)
	return options
}

// madeUpOptions returns two options with random actions in the states that were seen.
func (t *conformanceTest) madeUpOptions() []*schema.Option {
	stream, actions := pod.NewStream(t.seed, 2, pod.WalkStream), len(t.env.External.Actions)
	options := make([]*schema.Option, 2)
	for i := range options {
		options[i] = &schema.Option{Arity: actions, Certificate: schema.Certificate{MaxSteps: int64(7 * i)}}
		for range t.seen.States() {
			options[i].Policy = append(options[i].Policy, int8(stream.Below(actions+1))-1)
		}
	}
	return options
}
