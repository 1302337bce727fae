package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// exportBundle writes a store that holds the runs alone, in the order in which
// they were made.
func exportBundle(c *cli.Context, runs []report.Run, only []string, path string) error {
	if only != nil {
		return schema.Hint(errors.New("--only with a bundle"), "a bundle has all of its runs; --only is for npz")
	}
	slices.SortFunc(runs, func(a, b report.Run) int { return cmp.Compare(a.Source.Number, b.Source.Number) })
	wanted := tracker.Copying{Vet: replay.Vet}
	for _, r := range runs {
		wanted.Runs = append(wanted.Runs, r.ID)
	}
	return writeWhole(path, c.Bool("force"), func(temp string) error {
		bundle := tracker.New(temp, tracker.Options{})
		if err := bundle.Create(c.Context); err != nil {
			return err
		}
		copied, err := tracker.Copy(c.Context, openStore(c), bundle, wanted)
		if err != nil {
			return err
		}
		return whole(copied)
	})
}

// whole refuses a bundle that lacks a run.
func whole(copied tracker.Copied) error {
	for _, r := range copied.Runs {
		if r.Outcome != tracker.CopyNew {
			return schema.Hint(fmt.Errorf("%w: run %.7s: %s", errDifference, r.Run, r.Reason),
				"a bundle holds only what can be proved; podtrack replay %.12s says what of the run still holds", r.Run)
		}
	}
	return nil
}
