package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/merge"
)

// BuildBundle writes a store that contains only the runs, in order of creation, and their studies.
func BuildBundle(ctx context.Context, store *tracker.Store, runs []report.Run, path string) error {
	runs = slices.SortedFunc(slices.Values(runs),
		func(a, b report.Run) int { return cmp.Compare(a.Source.Number, b.Source.Number) })
	wanted := merge.Options{Validate: replay.CheckImport, CheckShape: recorded.NewFitFunc}
	for _, r := range runs {
		wanted.Runs = append(wanted.Runs, r.ID)
	}
	bundle := tracker.New(path, tracker.Options{})
	if err := bundle.Initialize(); err != nil {
		return err
	}
	copied, err := merge.Run(ctx, store, bundle, wanted)
	if err != nil {
		return err
	}
	for _, r := range copied.Runs {
		if r.Outcome != merge.OutcomeNew {
			return schema.Hint(fmt.Errorf("%w: run %.7s: %s", cmdline.ErrDifference, r.Run, r.Reason),
				"a bundle holds only what can be proved; podtrack replay %.12s shows which of the run's records are still valid",
				r.Run)
		}
	}
	studies, err := studiesOf(ctx, store, runs)
	if err != nil {
		return err
	}
	kept, err := merge.CopyStudies(ctx, store, bundle, func(name string) bool { return studies[name] })
	if err == nil && len(kept.Refused) > 0 {
		err = schema.Hint(fmt.Errorf("%w: %s", tracker.ErrDamaged, kept.Refused[0]), tracker.AdviceCheckRecords,
			store.Path())
	}
	return err
}

// studiesOf returns the names of the studies that have some of the runs.
func studiesOf(ctx context.Context, store *tracker.Store, runs []report.Run) (map[string]bool, error) {
	studies := map[string]bool{}
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, r := range runs {
			places, err := tx.MembershipsOf(r.Source)
			if err != nil {
				return err
			}
			for _, p := range places {
				studies[p.Study] = true
			}
		}
		return nil
	})
	return studies, err
}
