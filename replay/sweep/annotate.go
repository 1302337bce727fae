package sweep

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/tracker"
)

// Annotate adds the plan to those of its tags in a store, and sets the tags and names
// on those of the runs that exist. Others get them when they start. A name that another run
// already has is not set, nor is one on a run that has another; Annotate returns the number of such
// names. The progress must be that of
// this store alone. through is the folder from which the runs are gathered, if any.
func (p *Plan) Annotate(ctx context.Context, store *tracker.Store, l *Progress, through Folder) (taken int, err error) {
	if len(p.Tags) > 0 {
		if err := store.Update(ctx, func(tx *tracker.Tx) error { return p.setPlans(tx, through) }); err != nil {
			return 0, err
		}
	}
	err = tracker.UpdateEach(ctx, store, l.present(), func(tx *tracker.Tx, n int) error {
		err := p.annotate(tx, l, n)
		if errors.Is(err, tracker.ErrTaken) || errors.Is(err, tracker.ErrNamed) {
			taken++
			return nil
		}
		return err
	})
	return taken, err
}

func (p *Plan) setPlans(tx *tracker.Tx, through Folder) error {
	for _, tag := range p.Tags {
		if _, err := tx.AddPlan(&p.Plan, tag, tracker.Planned{Folder: through.Path}); err != nil {
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
	return tx.GiveName(l.ids[n], job.Name)
}
