package sweep

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/tracker"
)

// Annotate says in a store what each tag of the plan is to have, and gives the tags,
// and names, to those of the ledger's runs that are there. The others get them when
// they begin. A name that another run has there is left to it; how many were is
// returned. The ledger is of that store alone. through is the folder that the runs come
// through, if any.
func (p *Plan) Annotate(ctx context.Context, store *tracker.Store, l *Progress, through Folder) (taken int, err error) {
	if len(p.Tags) > 0 {
		if err := store.Update(ctx, func(tx *tracker.Tx) error { return p.setPlans(tx, through) }); err != nil {
			return 0, err
		}
	}
	err = tracker.UpdateEach(ctx, store, l.present(), func(tx *tracker.Tx, n int) error {
		err := p.annotate(tx, l, n)
		if errors.Is(err, tracker.ErrTaken) {
			taken++
			return nil
		}
		return err
	})
	return taken, err
}

func (p *Plan) setPlans(tx *tracker.Tx, through Folder) error {
	for _, tag := range p.Tags {
		if err := tx.SetPlan(tag, tracker.Plan{Runs: p.Len(), Iterations: p.Wanted(), Folder: through.Path}); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) annotate(tx *tracker.Tx, l *Progress, n int) error {
	for _, tag := range p.Tags {
		if err := tx.AddTag(l.ids[n], tag); err != nil {
			return err
		}
	}
	if p.Name == "" {
		return nil
	}
	job, err := p.Job(l.planIndex(n))
	if err != nil {
		return err
	}
	return tx.SetName(l.ids[n], job.Name)
}
