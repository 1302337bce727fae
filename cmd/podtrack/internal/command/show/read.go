package show

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

var walk = figure.Kind{
	Name: "walk", Usage: "position over time, as in the paper's Figure 1", Example: "ring0", Read: plotWalk,
	Args:    "RUN|RUN:K… | FILTER [--by LIST] | --groups FILTER…",
	Choices: []figure.Choice{againstChoice, stepsChoice, choiceOf(groupview.ByFlag(nil)), groupsChoice, eachChoice},
	Description: "Steps to the right of the first state, not wrapped round. Dashed lines are the beginnings of " +
		"iterations.\n" +
		"A single run is shown beside the walk of the same seed with primitive actions alone.\n" +
		"With --by it draws the mean distance from the first state of each group of runs, with its interval.",
}

var _ = figure.Register(walk)

func plotWalk(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if q.Get("by") != nil || q.IsOn("groups") {
		return plotBands(ctx, q, group.Distance)
	}
	if err := refuseEach(q); err != nil {
		return nil, err
	}
	parts, primitive, err := openTracks(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadWalks(ctx, parts, primitive, q.Columns())
	return ofParts(f, parts...), err
}

var _ = figure.Register(figure.Kind{
	Name: "coverage", Usage: "distinct states visited over time", Example: "bits=7 --by kappa", Read: plotCoverage,
	Args: "RUN|RUN:K… | FILTER [--by LIST] | --groups FILTER…",
	Choices: []figure.Choice{againstChoice, stepsChoice, choiceOf(groupview.ByFlag(nil)), groupsChoice, eachChoice,
		{Name: "log", Usage: "make `AXES` logarithmic: x, y or xy"}},
	Description: "With --by it draws the mean of each group of runs, with its interval.",
})

func plotCoverage(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if q.Get("by") != nil || q.IsOn("groups") {
		return plotBands(ctx, q, group.Coverage)
	}
	axes, err := parseLog(q, "x", "y", "xy")
	if err == nil {
		err = refuseEach(q)
	}
	if err != nil {
		return nil, err
	}
	parts, primitive, err := openTracks(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadCoverage(ctx, parts, primitive, q.Columns())
	f.Axes = axes
	return ofParts(f, parts...), err
}

// refuseEach returns an error if --each-run is given for runs that are drawn one by one anyway.
func refuseEach(q figure.Request) error {
	if !q.IsOn("each-run") {
		return nil
	}
	return schema.Hint(errors.New("--each-run without --by or --groups"),
		"leave it out: without groups each run is a line of its own")
}

// parseLog returns which axes --log makes logarithmic.
func parseLog(q figure.Request, allowed ...string) (axes chart.LogAxes, err error) {
	text := q.Get("log")
	if text == nil {
		return axes, nil
	}
	if !slices.Contains(allowed, *text) {
		return axes, schema.Hint(fmt.Errorf("--log: invalid value %q", *text), "plot %s takes --log %s", q.Kind.Name,
			strings.Join(allowed, ", "))
	}
	return chart.LogAxes{X: strings.Contains(*text, "x"), Y: strings.Contains(*text, "y")}, nil
}

// openTracks opens the parts of a figure over time.
func openTracks(ctx context.Context, q figure.Request) (parts []figure.Source, primitive bool, err error) {
	window, err := parseWindow("steps", q.Get("steps"), "1000:2000")
	if err != nil {
		return nil, false, err
	}
	if parts, err = openParts(ctx, q); err == nil {
		primitive, err = parseAgainst(q, len(parts))
	}
	for i := range parts {
		parts[i].Window = window
	}
	return parts, primitive, err
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
	Choices: []figure.Choice{{Name: "states", Usage: "show the states `LOW:HIGH` alone, such as -64:63",
		Default: "all, or some periods of a large ring"}},
})

func plotOption(ctx context.Context, q figure.Request) (figure.Figure, error) {
	part, ref, err := openOption(ctx, q)
	if err != nil {
		return nil, err
	}
	window, err := parseWindow("states", q.Get("states"), "-64:63")
	if err != nil {
		return nil, err
	}
	if plan, err := figure.ReadGridOption(ctx, part, ref.J, ref.Sign); plan != nil || err != nil {
		if err == nil && window != nil {
			err = schema.Hint(fmt.Errorf("--states of an option on a map"),
				"leave it out; --format csv has the states one by one")
		}
		return ofParts(plan, part), err
	}
	f, err := figure.ReadOption(ctx, part, ref.J, ref.Sign, window, q.Bins())
	return ofParts(f, part), err
}

// parseWindow returns the window that an option gives, nil for all.
func parseWindow(name string, text *string, example string) (*palette.Window, error) {
	if text == nil {
		return nil, nil
	}
	low, high, _ := strings.Cut(*text, ":")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil {
		return nil, schema.Hint(fmt.Errorf("--%s: invalid range %q", name, *text),
			"write the lowest and the highest, such as %s", example)
	}
	return &palette.Window{From: from, To: to}, nil
}

// openOption opens the iteration of the single option that a figure takes.
func openOption(ctx context.Context, q figure.Request) (part figure.Source, ref report.Ref, err error) {
	if len(q.Args) != 1 {
		return part, ref, plotTakes(q)
	}
	if ref, err = report.ParseRefOf(q.Args[0], report.RefOption); err != nil {
		return part, ref, err
	}
	run, err := report.Open(ctx, q.Store, ref.Run)
	if err == nil {
		ref, err = report.ResolveRef(run, ref)
	}
	return figure.Source{Records: run, K: ref.K}, ref, err
}
