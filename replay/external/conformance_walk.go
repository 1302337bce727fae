package external

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

const (
	// maxChangeNumbers bounds the product of features and steps over which changes are measured.
	maxChangeNumbers = 1 << 22

	// If the share of recurring states is below fewRecurring, there is a warning: an option rarely meets a state
	// that it was learned for.
	fewRecurring = 0.1

	// If a program has at least manyFeatures features, of which less than the share fewChanging ever change, there
	// is a warning: it is worth leaving out the others.
	manyFeatures = 256
	fewChanging  = 0.1
)

// checkStates counts how often the observations of the walk recur.
func (c *conformanceTest) checkStates(context.Context) (Verdict, string, error) {
	seen := map[int]bool{c.first: true}
	recurring := 0
	for _, o := range c.walk.outcomes {
		if seen[o.State] {
			recurring++
		}
		seen[o.State] = true
		if o.End != envs.NotEnded {
			seen[o.NextStart] = true
		}
	}
	n := len(c.walk.outcomes)
	counts := StateCounts{Steps: n, Distinct: len(seen), Recurring: float64(recurring) / float64(n)}
	c.result.States = &counts
	verdict := OK
	if counts.Recurring < fewRecurring {
		verdict = Warned
	}
	return verdict, fmt.Sprintf("%d distinct observations in %d steps; %.0f %% of the steps lead to one seen before",
		counts.Distinct, n, 100*counts.Recurring), nil
}

// summarizeRewards returns the range of the rewards of the walk's steps, and the share that is not 0.
func (c *conformanceTest) summarizeRewards() Rewards {
	r := Rewards{Least: c.walk.outcomes[0].Reward, Most: c.walk.outcomes[0].Reward}
	nonZero := 0
	for _, o := range c.walk.outcomes {
		r.Least, r.Most = min(r.Least, o.Reward), max(r.Most, o.Reward)
		if o.Reward != 0 {
			nonZero++
		}
	}
	r.NonZero = float64(nonZero) / float64(len(c.walk.outcomes))
	return r
}

// checkFeatures measures how much each feature changes.
func (c *conformanceTest) checkFeatures(context.Context) (Verdict, string, error) {
	x := c.env.External
	if x.Observes == schema.Discrete {
		return Absent, "observations are state numbers", nil
	}
	changes := c.measureChanges()
	c.result.Changes = &changes
	found := fmt.Sprintf("%d of %d change", changes.Changing, changes.Features)
	if changes.Changing == 0 {
		return Warned, found, nil
	}
	if x.Observes == schema.Real {
		found += fmt.Sprintf("; root mean square change per step from %.2g (%s) to %.2g (%s)", changes.Least.RMS,
			changes.Least.Name, changes.Most.RMS, changes.Most.Name)
	}
	if changes.Features >= manyFeatures && float64(changes.Changing) < fewChanging*float64(changes.Features) {
		return Warned, found, nil
	}
	return OK, found, nil
}

// measureChanges returns the root mean square change of each feature over the walk, or over its beginning if the walk
// is long.
func (c *conformanceTest) measureChanges() Changes {
	names := c.env.External.Features
	before, after, squares := make([]float64, len(names)), make([]float64, len(names)), make([]float64, len(names))
	at, steps := c.first, min(len(c.walk.outcomes), max(maxChangeNumbers/len(names), 1))
	for _, o := range c.walk.outcomes[:steps] {
		c.seen.Observe(at, before)
		c.seen.Observe(o.State, after)
		for f, x := range after {
			squares[f] = math.Min(squares[f]+(x-before[f])*(x-before[f]), math.MaxFloat64) // JSON has no infinity
		}
		at = o.State
		if o.End != envs.NotEnded {
			at = o.NextStart
		}
	}
	changes, sum := Changes{Features: len(names)}, 0.0
	for f, square := range squares {
		if square == 0 {
			continue
		}
		sum = math.Min(sum+square, math.MaxFloat64)
		x := FeatureChange{names[f], math.Sqrt(square / float64(steps))}
		if changes.Changing == 0 || x.RMS < changes.Least.RMS {
			changes.Least = x
		}
		if x.RMS > changes.Most.RMS {
			changes.Most = x
		}
		changes.Changing++
	}
	changes.RMS = math.Sqrt(sum / float64(steps))
	return changes
}

// checkExtensions verifies that the program takes the same steps without its extensions. If the program can follow
// options by itself, it also verifies that the program does so correctly.
func (c *conformanceTest) checkExtensions(ctx context.Context) (Verdict, string, error) {
	w, err := c.fresh(ctx)
	if err != nil {
		return Failed, "", err
	}
	used := w.abilities.extensions
	if len(used) == 0 {
		return Absent, "it uses none: each message has one step", nil
	}
	plain := c.command
	plain.Extensions = []string{}
	if err := c.repeatIn(ctx, plain); err != nil {
		return Failed, "", fmt.Errorf("without extensions: %w", err)
	}
	for _, p := range []float64{0, 0.5} {
		if !w.uses(policiesExtension) {
			break
		}
		if err := c.followOptions(ctx, w, c.randomPolicies(), p); err != nil {
			return Failed, "", fmt.Errorf("options given as policies: %w", err)
		}
		if err := c.followOptions(ctx, w, c.randomWeights(), p); err != nil {
			return Failed, "", fmt.Errorf("options given as weights: %w", err)
		}
	}
	return OK, strings.Join(used, ", ") + ": the same steps without them", nil
}

// followOptions takes a walk in which the program follows options by itself, and then repeats the actions one by one.
// Both must lead to the same observations. probability is that of calling an option.
func (c *conformanceTest) followOptions(
	ctx context.Context, w *runningEnv, options []*schema.Option, probability float64,
) error {
	state, err := c.begin(ctx, w, 0)
	if err != nil {
		return err
	}
	w.policies = sentPolicies{} // forget the previous options
	stream := rng.NewStream(c.with.Seed, 1, collect.WalkStream)
	agent := collect.Collector{Env: c.known, Running: w, Stream: stream, State: state, Executing: schema.Primitive,
		OptionProbability: probability, Options: collect.OptionSet{Options: options}}
	walk := schema.Transitions{Start: uint64(state), Arity: len(c.known.Actions()), Next: []uint32{}}
	if err := agent.Collect(ctx, &walk, len(c.walk.actions)); err != nil {
		return err
	}
	if _, err := c.begin(ctx, w, 0); err != nil {
		return err
	}
	i, err := collect.TakeSteps(ctx, alone{w}, walk.Actions, func(i int, o envs.StepResult) error {
		if o.State != int(walk.Next[i]) {
			return schema.Hint(fmt.Errorf("%w: the observation was different when the program followed options by itself",
				envs.ErrEnvNotRepeatable), "%s", hintRepeat)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("step %d: %w", i, err)
	}
	return err
}

// randomWeights returns two options whose policies are given by random weights of the features.
func (c *conformanceTest) randomWeights() []*schema.Option {
	stream, options := rng.NewStream(c.with.Seed, 3, collect.WalkStream), make([]*schema.Option, 2)
	for i := range options {
		theta := schema.NewTheta(len(c.known.Actions()), len(c.known.Features()))
		for j := range theta.Weights {
			theta.Weights[j] = float64(stream.Below(2001)-1000) / 1000
		}
		options[i] = &schema.Option{Arity: theta.Actions, Theta: &theta,
			Certificate: schema.Certificate{MaxSteps: int64(7 * i), Tolerance: 0.1}}
	}
	envs.ExtendPolicies(c.known, options)
	return options
}

// randomPolicies returns two options with random actions in the states seen so far.
func (c *conformanceTest) randomPolicies() []*schema.Option {
	stream, actions := rng.NewStream(c.with.Seed, 2, collect.WalkStream), len(c.env.External.Actions)
	options := make([]*schema.Option, 2)
	for i := range options {
		options[i] = &schema.Option{Arity: actions, Certificate: schema.Certificate{MaxSteps: int64(7 * i)}}
		for range c.seen.States() {
			options[i].Policy = append(options[i].Policy, int8(stream.Below(actions+1))-1)
		}
	}
	return options
}
