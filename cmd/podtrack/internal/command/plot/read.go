package plot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/grammar"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/study"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func plotWalk(ctx context.Context, q request, p picture) (figure.Figure, error) {
	if q.by != nil || q.groups {
		return plotBands(ctx, q, group.Distance, p)
	}
	parts, primitive, err := openTracks(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadWalks(ctx, parts, primitive, p.columns())
	return ofParts(f, parts...), err
}

func plotCoverage(ctx context.Context, q request, p picture) (figure.Figure, error) {
	if q.by != nil || q.groups {
		return plotBands(ctx, q, group.Coverage, p)
	}
	parts, primitive, err := openTracks(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadCoverage(ctx, parts, primitive, p.columns())
	return ofParts(f, parts...), err
}

func plotVisits(ctx context.Context, q request, p picture) (figure.Figure, error) {
	part, err := openPart(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadFirstVisits(ctx, part, p.columns())
	return ofParts(f, part), err
}

// openTracks opens the parts of a figure over time.
func openTracks(ctx context.Context, q request) (parts []figure.Source, primitive bool, err error) {
	window, err := parseWindow("steps", q.steps, "1000:2000")
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

func plotSpectrum(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	part, err := openPart(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadSpectrum(ctx, part)
	return ofParts(f, part), err
}

func plotPurposes(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	part, err := openPart(ctx, q)
	if err != nil {
		return nil, err
	}
	f, err := figure.ReadPurposes(ctx, part)
	return ofParts(f, part), err
}

// openPart opens the single run or iteration that a figure takes.
func openPart(ctx context.Context, q request) (figure.Source, error) {
	if len(q.args) != 1 {
		return figure.Source{}, plotTakes(q)
	}
	if report.IsTerm(q.args[0]) {
		runs, err := cmdline.SelectSomeRunsOf(ctx, q.store, q.args)
		if err != nil {
			return figure.Source{}, err
		}
		if len(runs) != 1 {
			return figure.Source{}, schema.Hint(fmt.Errorf("%s are %d runs", q.args[0], len(runs)),
				"plot %s takes one; podtrack ls %s lists them", q.figure, textform.ShellQuote(q.args[0]))
		}
	}
	parts, err := openParts(ctx, q)
	if err != nil {
		return figure.Source{}, err
	}
	return parts[0], nil
}

func plotOption(ctx context.Context, q request, p picture) (figure.Figure, error) {
	part, ref, err := openOption(ctx, q)
	if err != nil {
		return nil, err
	}
	window, err := parseWindow("states", q.states, "-64:63")
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
	f, err := figure.ReadOption(ctx, part, ref.J, ref.Sign, window, p.bins())
	return ofParts(f, part), err
}

// parseWindow returns the window that an option gives, nil for all.
func parseWindow(name string, text *string, example string) (*grammar.Window, error) {
	if text == nil {
		return nil, nil
	}
	low, high, _ := strings.Cut(*text, ":")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil {
		return nil, schema.Hint(fmt.Errorf("--%s %q", name, *text), "write the lowest and the highest, such as %s", example)
	}
	return &grammar.Window{From: from, To: to}, nil
}

// openOption opens the iteration of the single option that a figure takes.
func openOption(ctx context.Context, q request) (part figure.Source, ref report.Ref, err error) {
	if len(q.args) != 1 {
		return part, ref, plotTakes(q)
	}
	if ref, err = report.ParseRefOf(q.args[0], report.RefOption); err != nil {
		return part, ref, err
	}
	run, err := report.Open(ctx, q.store, ref.Run)
	if err == nil {
		ref, err = report.ResolveRef(run, ref)
	}
	return figure.Source{Records: run, K: ref.K}, ref, err
}

func plotTable1(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	if len(q.args) > 0 {
		return nil, schema.Hint(errors.New("plot table1 takes no runs: they are the paper's"),
			"podtrack plot table1 --runs N takes seeds 0 to N − 1")
	}
	runs, err := runner.ParseRuns(q.runs)
	if err != nil {
		return nil, err
	}
	var f figure.Table1
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
		f.Measured, err = table1.Measure(tx, runs)
		return err
	})
	if errors.Is(err, tracker.ErrMissing) {
		err = schema.Hint(err, "podtrack reproduce table1 --runs %d makes the runs that are not there", runs)
	}
	return f, err
}

func plotExploration(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	if len(q.args) > 0 {
		return nil, schema.Hint(errors.New("plot exploration takes no runs: they are the study's"),
			"podtrack plot exploration --runs N takes the first N seeds of the study")
	}
	if q.runs == nil {
		r, err := study.Published()
		return figure.Exploration{Measured: r}, err
	}
	s := study.Exploration()
	seeds, err := s.ParseSeeds(*q.runs)
	if err != nil {
		return nil, err
	}
	r, err := s.Measure(ctx, q.store, s.Settings, seeds)
	if errors.Is(err, tracker.ErrMissing) {
		err = schema.Hint(err, "podtrack reproduce exploration --runs %d makes the runs that are not there", seeds)
	}
	return figure.Exploration{Measured: r}, err
}
