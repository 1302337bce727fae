package diff

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// poolOptions returns the options of all runs, and the source of options of random purposes. Similarity is weighted by
// the steps of all runs.
func (g *groupComparison) poolOptions() (*pool, error) {
	visits, err := g.allVisits()
	if err != nil {
		return nil, err
	}
	d, items := g.newOptionPool(visits)
	err = d.fill(g.runs, func(r *Side, k int) (found []foundItem, err error) {
		for _, p := range g.purposes[r][k] {
			found = append(found, foundItem{ref: report.OptionRef(r.Label(), k, p.J, p.Sign), sigma: p.Sigma,
				gap: gapOf(g.sigma[r][k], p.J), purpose: p.Vector})
		}
		return found, r.eachBehaviour(k, upTo(len(found)), func(i int, b *behaviours.Behaviour) error {
			found[i].end = r.endOf(b)
			return items.addLoaded(b, func() (*behaviours.Behaviour, error) { return r.behaviour(k, i) })
		})
	})
	if err != nil {
		return nil, err
	}
	if env, ok := envs.As[envs.SimulatedEnv](g.runs[0].Env); ok {
		g.addRandomOptions(d, items, env, g.runs[0].Spec)
	}
	return d, nil
}

// newOptionPool returns an empty list of options whose similarity is weighted by visits.
func (g *groupComparison) newOptionPool(visits []behaviours.StateVisits) (*pool, *optionTraces) {
	items := newOptionTraces(visits)
	return &pool{
		kind: Options, threshold: g.limits.Agreement, items: items, references: map[int][][]int{}, mostReferences: 30,
		progress: g.progress,
	}, items
}

// allVisits returns the steps of all runs by the state in which they began.
func (g *groupComparison) allVisits() (all []behaviours.StateVisits, err error) {
	for _, r := range g.runs {
		var visits []behaviours.StateVisits
		for k := range r.Iterations {
			of, err := r.visits(k)
			if err != nil {
				return nil, err
			}
			visits = append(visits, of...)
		}
		all = append(all, mergeVisits(visits)...)
	}
	return all, nil
}

// addRandomOptions sets the source of random sets: options that the model's learner learns for random directions, of
// both signs, with the parameters of a spec.
func (g *groupComparison) addRandomOptions(d *pool, items *optionTraces, env envs.SimulatedEnv, spec schema.Spec) {
	if d.modelled = true; g.metric.Rank() == 0 {
		return
	}
	model := env.Model()
	d.referenceWork = func(size int) int64 {
		return int64(size) * int64(model.States) * int64(model.Actions) * int64(max(spec.Sweeps, 1))
	}
	d.addReference = func(ctx context.Context, size, number int) (set []int, err error) {
		vectors, err := g.metric.randomVectors(ctx, randomSource(size, number), (size+1)/2)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			for _, sign := range []int{1, -1} {
				signed := floats.ScaleTo(make([]float64, len(v)), float64(sign), v)
				p := schema.Purpose{J: i + 1, Sign: sign, Vector: signed}
				if len(set) == size {
					break
				}
				set = append(set, len(items.traces))
				if err := items.add(func() (*behaviours.Behaviour, error) { return learnOption(ctx, env, spec, p) }); err != nil {
					return nil, err
				}
			}
		}
		return set, nil
	}
}

// learnOption returns the behaviour of the option that the model's learner learns for a purpose.
func learnOption(
	ctx context.Context, env envs.SimulatedEnv, spec schema.Spec, p schema.Purpose,
) (*behaviours.Behaviour, error) {
	if spec.Learner != schema.Exact {
		spec.Learner = schema.Sweeps
	}
	o, v, err := learn.NewModelLearner(env, spec).Learn(ctx, p)
	if err != nil {
		return nil, err
	}
	return behaviours.New(env, o, v.(schema.Value), learn.ActionValues(env, p.Vector, v, spec.Gamma)), nil
}
