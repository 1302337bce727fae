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
	maxChangeNumbers = 1 << 22 // most features × steps whose changes are added up
	fewRecurring     = 0.1     // share of recurring states under which options of states are useless
	fewChanging      = 0.1     // share of changing features under which the others are worth leaving out
	manyFeatures     = 256     // number of features from which on that is worth it
)

// states counts how often the observations of the walk recur.
func (t *conformanceTest) states(context.Context) (Verdict, string, error) {
	seen := map[int]bool{t.first: true}
	recurring := 0
	for _, o := range t.walk.outcomes {
		if seen[o.State] {
			recurring++
		}
		seen[o.State] = true
		if o.End != envs.NotEnded {
			seen[o.NextStart] = true
		}
	}
	n := len(t.walk.outcomes)
	c := StateCounts{Steps: n, Distinct: len(seen), Recurring: float64(recurring) / float64(n)}
	t.result.States = &c
	verdict := OK
	if c.Recurring < fewRecurring {
		verdict = Warned
	}
	return verdict, fmt.Sprintf("%d distinct observations in %d steps, %.0f %% of which lead to one that was there before",
		c.Distinct, n, 100*c.Recurring), nil
}

// rewards summarises the rewards of the walk's steps.
func (t *conformanceTest) rewards() Rewards {
	r := Rewards{Least: t.walk.outcomes[0].Reward, Most: t.walk.outcomes[0].Reward}
	nonZero := 0
	for _, o := range t.walk.outcomes {
		r.Least, r.Most = min(r.Least, o.Reward), max(r.Most, o.Reward)
		if o.Reward != 0 {
			nonZero++
		}
	}
	r.NonZero = float64(nonZero) / float64(len(t.walk.outcomes))
	return r
}

// features adds up how much each feature changes.
func (t *conformanceTest) features(context.Context) (Verdict, string, error) {
	x := t.env.External
	if x.Observes == schema.Discrete {
		return Absent, "an observation is a number", nil
	}
	c := t.changes()
	t.result.Changes = &c
	found := fmt.Sprintf("%d of %d change", c.Changing, c.Features)
	if c.Changing == 0 {
		return Warned, found, nil
	}
	if x.Observes == schema.Real {
		found += fmt.Sprintf(", in a step by %.2g (%s) to %.2g (%s), root mean square", c.Least.RMS, c.Least.Name, c.Most.RMS,
			c.Most.Name)
	}
	if c.Features >= manyFeatures && float64(c.Changing) < fewChanging*float64(c.Features) {
		return Warned, found, nil
	}
	return OK, found, nil
}

func (t *conformanceTest) changes() Changes {
	names := t.env.External.Features
	before, after, squares := make([]float64, len(names)), make([]float64, len(names)), make([]float64, len(names))
	at, steps := t.first, min(len(t.walk.outcomes), max(maxChangeNumbers/len(names), 1))
	for _, o := range t.walk.outcomes[:steps] {
		t.seen.Observe(at, before)
		t.seen.Observe(o.State, after)
		for f, x := range after {
			squares[f] = math.Min(squares[f]+(x-before[f])*(x-before[f]), math.MaxFloat64) // JSON has no infinity
		}
		if at = o.State; o.End != envs.NotEnded {
			at = o.NextStart
		}
	}
	c, sum := Changes{Features: len(names)}, 0.0
	for f, square := range squares {
		if square == 0 {
			continue
		}
		sum = math.Min(sum+square, math.MaxFloat64)
		x := FeatureChange{names[f], math.Sqrt(square / float64(steps))}
		if c.Changing == 0 || x.RMS < c.Least.RMS {
			c.Least = x
		}
		if x.RMS > c.Most.RMS {
			c.Most = x
		}
		c.Changing++
	}
	c.RMS = math.Sqrt(sum / float64(steps))
	return c
}

// extensions repeats the walk in a process without extensions. If the program can decide by itself, it also lets it
// follow options, which [runningEnv.Step] verifies.
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
	if err := t.repeatIn(ctx, plain); err != nil {
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

// followOptions walks with two options that the program follows by itself, and repeats the actions.
func (t *conformanceTest) followOptions(
	ctx context.Context, w *runningEnv, options []*schema.Option, probability float64,
) error {
	state, err := t.begin(ctx, w, 0)
	if err != nil {
		return err
	}
	w.policies = sentPolicies{} // forget the previous options
	stream := rng.NewStream(t.seed, 1, collect.WalkStream)
	agent := collect.Collector{Env: t.known, Running: w, Stream: stream, State: state, Executing: schema.Primitive,
		OptionProbability: probability, Options: collect.OptionSet{Options: options}}
	walk := schema.Transitions{Start: uint64(state), Arity: len(t.known.Actions()), Next: []uint32{}}
	if err := agent.Collect(ctx, &walk, len(t.walk.actions)); err != nil {
		return err
	}
	if _, err := t.begin(ctx, w, 0); err != nil {
		return err
	}
	i, err := collect.TakeSteps(ctx, alone{w}, walk.Actions, func(i int, o envs.StepResult) error {
		if o.State != int(walk.Next[i]) {
			return schema.Hint(fmt.Errorf("%w: the observation differs when the program decides",
				envs.ErrEnvNotRepeatable), "%s", hintRepeat)
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
	stream, options := rng.NewStream(t.seed, 3, collect.WalkStream), make([]*schema.Option, 2)
	for i := range options {
		theta := schema.NewTheta(len(t.known.Actions()), len(t.known.Features()))
		for j := range theta.Weights {
			theta.Weights[j] = float64(stream.Below(2001)-1000) / 1000
		}
		options[i] = &schema.Option{Arity: theta.Actions, Theta: &theta,
			Certificate: schema.Certificate{MaxSteps: int64(7 * i), Tolerance: 0.1}}
	}
	envs.ExtendPolicies(t.known, options)
	return options
}

// madeUpOptions returns two options with random actions in the states that were seen.
func (t *conformanceTest) madeUpOptions() []*schema.Option {
	stream, actions := rng.NewStream(t.seed, 2, collect.WalkStream), len(t.env.External.Actions)
	options := make([]*schema.Option, 2)
	for i := range options {
		options[i] = &schema.Option{Arity: actions, Certificate: schema.Certificate{MaxSteps: int64(7 * i)}}
		for range t.seen.States() {
			options[i].Policy = append(options[i].Policy, int8(stream.Below(actions+1))-1)
		}
	}
	return options
}
