package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// dryRun prints which runs the sweep would make.
func (s sweepRun) dryRun() error {
	store, progress := s.store(), sweep.NewProgress(s.plan, sweep.WholePlan)
	err := progress.Scan(s.Context.Context, store)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; a dry run changes nothing", replay.ErrInterrupted),
			"rerun the command to start again")
	}
	if err == nil {
		err = s.checkStudy(store)
	}
	if err != nil {
		return err
	}
	all := s.sum(progress.CountBySpec())
	text := s.progressText(all) + "; nothing is left to make"
	if left := all.Runs - all.Complete; left > 0 {
		text = fmt.Sprintf("%s; %s to make", s.progressText(all), cmdline.Plural(left, "run"))
	}
	return s.answer(all, text).Print(s.Context)
}

// checkStudy returns an error if the store has another study of the name, for which the sweep would fail.
func (s sweepRun) checkStudy(store *tracker.Store) error {
	if s.plan.Study == nil {
		return nil
	}
	err := store.View(s.Context.Context, func(tx *tracker.Tx) error { return tx.CheckStudy(&s.plan.Plan) })
	if errors.Is(err, tracker.ErrNoStore) {
		return nil
	}
	return err
}
