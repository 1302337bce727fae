package sweep

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/tracker"
)

// Under returns the plan with a numerics version in each of its specs.
func (p *Plan) Under(numerics uint64) *Plan {
	other := *p
	other.Specs = slices.Clone(p.Specs)
	for i := range other.Specs {
		other.Specs[i].Numerics = numerics
	}
	return &other
}

// FindOlder returns the newest numerics version before the plan's under which the store has runs
// of the plan, and how far they are. It returns version 0 if there is none, or if the store has
// runs of the plan as it is: those are continued.
func (p *Plan) FindOlder(ctx context.Context, store *tracker.Store) (numerics uint64, done Count, err error) {
	numerics = p.Specs[0].Numerics
	if done, err = p.countIn(ctx, store); err != nil || done.Missing < done.Runs {
		return 0, done, err
	}
	for numerics--; numerics >= 1; numerics-- {
		if done, err = p.Under(numerics).countIn(ctx, store); err != nil || done.Missing < done.Runs {
			return numerics, done, err
		}
	}
	return 0, done, nil
}

// countIn counts the plan's runs by their state in a store. It looks up each run of a small plan,
// and visits the store's runs for a large one.
func (p *Plan) countIn(ctx context.Context, store *tracker.Store) (Count, error) {
	if p.Len() <= scanBatch {
		progress := NewProgress(p, WholePlan)
		_, err := progress.Scan(ctx, store)
		return progress.Count(), err
	}
	var sum Count
	forecasts, err := LoadForecasts(ctx, store, p)
	for _, f := range forecasts {
		sum = sum.Add(f.Done)
	}
	return sum, err
}

// MatchOlder returns the plan under the numerics version of the plan in the folder, if the two are
// the same but for an older version there.
func (f Folder) MatchOlder(p *Plan) (*Plan, bool) {
	for numerics := p.Specs[0].Numerics - 1; numerics >= 1; numerics-- {
		if older := p.Under(numerics); f.CheckPlan(older) == nil {
			return older, true
		}
	}
	return p, false
}
