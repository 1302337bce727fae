package external

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

const (
	maxChangeNumbers = 1 << 22 // features × steps of which changes are added up
	fewRecurring     = 0.1     // share of recurring states under which options of states are useless
	fewChanging      = 0.1     // share of changing features under which the others are worth leaving out
	manyFeatures     = 256     // from which on it is
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
		if o.End != pod.NotEnded {
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

// rewards returns what the steps of the walk earned.
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
		if at = o.State; o.End != pod.NotEnded {
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
