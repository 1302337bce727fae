package plot

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

const (
	againstPrimitive = "primitive"
	againstNothing   = "nothing"
)

func againstFlag() cli.Flag {
	return &cli.StringFlag{Name: "against", Usage: "set `WHAT` beside the runs: primitive (actions alone) or nothing",
		DefaultText: "primitive for one run"}
}

func stepsFlag() cli.Flag {
	return &cli.StringFlag{Name: "steps", Usage: "show the steps `FROM:TO` alone, such as 1000:2000"}
}

func groupsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "groups", Usage: "make a group of the runs of each FILTER, in quotes"}
}

// parseAgainst reports whether to draw the random walk of primitive actions, too.
func parseAgainst(q request, runs int) (bool, error) {
	if q.against == nil {
		return runs == 1, nil
	}
	switch what := *q.against; {
	case what != againstPrimitive && what != againstNothing:
		return false, schema.Hint(fmt.Errorf("--against %q", what),
			"it takes primitive or nothing; name other runs beside this one")
	default:
		return what == againstPrimitive, nil
	}
}

// openParts opens the runs or iterations that the arguments name or a filter selects.
func openParts(ctx context.Context, q request) (parts []figure.Source, err error) {
	if len(q.args) == 0 {
		return nil, plotTakes(q)
	}
	if report.IsTerm(q.args[0]) {
		return openFiltered(ctx, q)
	}
	if err := figure.CheckParts(len(q.args)); err != nil {
		return nil, err
	}
	for _, arg := range q.args {
		ref, err := report.ParseRefOf(arg, report.RefRun, report.RefIteration)
		if err != nil {
			return nil, err
		}
		run, err := report.Open(ctx, q.store, ref.Run)
		if err != nil {
			return nil, err
		}
		parts = append(parts, figure.Source{Records: run, WholeRun: ref.WholeRun, K: ref.K})
	}
	return parts, nil
}

// ofParts returns a figure with the runs that its parts are of.
func ofParts(f figure.Figure, parts ...figure.Source) figure.Figure {
	var runs []report.Run
	for _, p := range parts {
		if !slices.ContainsFunc(runs, func(r report.Run) bool { return r.ID == p.ID }) {
			runs = append(runs, report.Of(p.Records))
		}
	}
	return figure.WithRuns(f, runs...)
}

func openFiltered(ctx context.Context, q request) (parts []figure.Source, err error) {
	runs, err := cmdline.SelectSomeRunsOf(ctx, q.store, q.args)
	if err != nil {
		return nil, err
	}
	if err := figure.CheckParts(len(runs)); err != nil {
		return nil, err
	}
	for _, r := range runs {
		run, err := replay.ReadRecords(q.store.Within(ctx), r.Source)
		if err != nil {
			return nil, err
		}
		parts = append(parts, figure.Source{Records: run, WholeRun: true})
	}
	return parts, nil
}
