package sweep

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/tracker"
)

// Annotate says in a store what each tag of the plan is to have, and gives the tags,
// and names, to those of the ledger's runs that are there. The others get them when
// they begin.
func (p *Plan) Annotate(ctx context.Context, store *tracker.Store, l *Ledger) error {
	for numbers := range slices.Chunk(l.there(), turn) {
		err := store.Update(ctx, func(tx *tracker.Tx) error {
			for _, n := range numbers {
				if err := p.annotate(tx, l, n); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	if len(p.Tags) == 0 {
		return nil
	}
	return store.Update(ctx, func(tx *tracker.Tx) error {
		for _, tag := range p.Tags {
			if err := tx.SetPlan(tag, tracker.Plan{Runs: p.Len(), Iterations: p.Wanted()}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *Plan) annotate(tx *tracker.Tx, l *Ledger, n int) error {
	for _, tag := range p.Tags {
		if err := tx.AddTag(l.ids[n], tag); err != nil {
			return err
		}
	}
	if p.Name == "" {
		return nil
	}
	job, err := p.Job(l.number(n))
	if err != nil {
		return err
	}
	return tx.SetName(l.ids[n], job.Name)
}
