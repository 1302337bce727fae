package show

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

var walk = figure.Kind{
	Name: "walk", Usage: "position over time, as in the paper's Figure 1", Example: "ring0", Read: plotWalk,
	Args: "RUN|RUN:K… | FILTER",
	Description: "Steps to the right of the first state, not wrapped round. Dashed lines are the beginnings of " +
		"iterations.\n" +
		"Beside them is the walk of the first run's seed with primitive actions alone, where the model is known.",
}

var _ = figure.Register(walk)

func plotWalk(ctx context.Context, q figure.Request) (figure.Figure, error) {
	parts, err := openParts(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadWalks(ctx, parts, q.Columns())
	return ofParts(f, parts...), err
}

var _ = figure.Register(figure.Kind{
	Name: "coverage", Usage: "distinct states visited over time", Example: "bits=7 --by kappa", Read: plotCoverage,
	Args:        "RUN|RUN:K… | FILTER [--by LIST]",
	Choices:     []figure.Choice{choiceOf(groupview.ByFlag(nil))},
	Description: "With --by it draws the mean of each group of runs, with its interval.",
})

func plotCoverage(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if q.Get("by") != nil {
		return plotBands(ctx, q)
	}
	parts, err := openParts(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadCoverage(ctx, parts, q.Columns())
	return ofParts(f, parts...), err
}

// openPart opens the single run or iteration that a figure takes.
func openPart(ctx context.Context, q figure.Request) (figure.Source, error) {
	if len(q.Args) != 1 {
		return figure.Source{}, plotTakes(q)
	}
	if report.IsTerm(q.Args[0]) {
		runs, err := cmdline.SelectSomeRunsOf(ctx, q.Store, q.Args)
		if err != nil {
			return figure.Source{}, err
		}
		if len(runs) != 1 {
			return figure.Source{}, schema.Hint(fmt.Errorf("%s selects %d runs", q.Args[0], len(runs)),
				"plot %s takes one; podtrack ls %s lists them", q.Kind.Name, textfmt.ShellQuote(q.Args[0]))
		}
	}
	parts, err := openParts(ctx, q)
	if err != nil {
		return figure.Source{}, err
	}
	return parts[0], nil
}

var _ = figure.Register(figure.Kind{
	Name: "option", Usage: "an option's values, policy and I over the states", Args: "RUN:#N | RUN:K/J+ | RUN:K/J-",
	Example: "ring0:1/1+", Read: plotOption,
})

// plotOption draws the single option that the argument names.
func plotOption(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if len(q.Args) != 1 {
		return nil, plotTakes(q)
	}
	ref, err := report.ParseRefOf(q.Args[0], report.RefOption)
	if err != nil {
		return nil, err
	}
	run, err := report.Open(ctx, q.Store, ref.Run)
	if err == nil {
		ref, err = report.ResolveRef(run, ref)
	}
	if err != nil {
		return nil, err
	}
	part := figure.Source{Records: run, K: ref.K}
	f, err := figure.ReadOption(part, ref, q.Bins())
	return ofParts(f, part), err
}

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

// comparePlaces compares runs by their variant and setting in a study, and by their seed.
func comparePlaces(a, b report.Run) int {
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
	slices.SortStableFunc(runs, comparePlaces)
	for _, r := range runs {
		run, err := recorded.Open(q.Store.Within(ctx), r.Source)
		if err != nil {
			return nil, err
		}
		parts = append(parts, figure.Source{Records: run, WholeRun: true, Places: r.Places})
	}
	return parts, nil
}
