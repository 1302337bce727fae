package show

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
)

// openParts opens the runs or iterations that the arguments name or a filter selects.
func openParts(ctx context.Context, q figure.Request) (parts []figure.Source, err error) {
	if len(q.Args) == 0 {
		return nil, plotTakes(q)
	}
	if report.IsTerm(q.Args[0]) {
		return openFiltered(ctx, q)
	}
	if err := figure.CheckParts(len(q.Args)); err != nil {
		return nil, err
	}
	for _, arg := range q.Args {
		ref, err := report.ParseRefOf(arg, report.RefRun, report.RefIteration)
		if err != nil {
			return nil, err
		}
		run, err := report.Open(ctx, q.Store, ref.Run)
		if err != nil {
			return nil, err
		}
		parts = append(parts, figure.Source{Records: run, WholeRun: ref.WholeRun, K: ref.K})
	}
	return parts, nil
}

// ofParts returns a figure with the runs of its parts.
func ofParts(f figure.Figure, parts ...figure.Source) figure.Figure {
	var runs []report.Run
	for _, p := range parts {
		if !slices.ContainsFunc(runs, func(r report.Run) bool { return r.ID == p.ID }) {
			runs = append(runs, p.Described())
		}
	}
	return figure.WithRuns(f, runs...)
}

// compareInStudy compares runs by their variant, setting and seed.
func compareInStudy(a, b report.Run) int {
	return cmp.Or(cmp.Compare(report.PlaceIndex(a, "variant"), report.PlaceIndex(b, "variant")),
		cmp.Compare(report.PlaceIndex(a, "setting"), report.PlaceIndex(b, "setting")), cmp.Compare(a.Seed, b.Seed))
}

func openFiltered(ctx context.Context, q figure.Request) (parts []figure.Source, err error) {
	runs, err := cmdline.SelectSomeRunsOf(ctx, q.Store, q.Args)
	if err != nil {
		return nil, err
	}
	if err := figure.CheckParts(len(runs)); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(runs, func(r report.Run) bool { return len(r.Places) != 1 }) {
		slices.SortStableFunc(runs, compareInStudy)
	}
	for _, r := range runs {
		run, err := recorded.Open(q.Store.Within(ctx), r.Source)
		if err != nil {
			return nil, err
		}
		parts = append(parts, figure.Source{Records: run, WholeRun: true, Places: r.Places})
	}
	return parts, nil
}
