package plot

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/compare"
	diffcmd "github.com/podtrack/podtrack/cmd/podtrack/internal/command/diff"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// unseenFlag returns a hidden flag for one of diff's flags that does not affect a picture.
func unseenFlag(name string) cli.Flag { return &cli.StringFlag{Name: name, Hidden: true} }

// parseSeen returns the thresholds that affect a picture.
func parseSeen(q request) (diff.Limits, error) {
	name := ""
	switch {
	case q.agreement != nil:
		name = "agreement"
	case q.gap != nil:
		name = "gap"
	default:
		return parseCosine(q)
	}
	return diff.Limits{}, schema.Hint(fmt.Errorf("--%s changes nothing in this picture", name),
		"leave it out; podtrack diff A B --%s uses it", name)
}

// parseCosine returns the threshold for equal eigenpurposes.
func parseCosine(q request) (l diff.Limits, err error) {
	if q.cosine != nil {
		l.Cosine, err = diffcmd.ParseShare("cosine", *q.cosine)
	}
	return l, err
}

// plotDiff draws the comparison of two runs or iterations, or of the runs that a filter selects.
func plotDiff(ctx context.Context, q request, out picture) (figure.Figure, error) {
	limits, err := parseSeen(q)
	if err != nil {
		return nil, err
	}
	if q.group {
		return plotDiffGroup(ctx, q, out)
	}
	if q.by != nil {
		return nil, schema.Hint(errors.New("--by without --group"),
			"podtrack plot diff --group FILTER --by %s compares many runs", *q.by)
	}
	if len(q.args) != 2 {
		return nil, plotTakes(q)
	}
	parts, err := openParts(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(parts) != 2 {
		return nil, schema.Hint(errors.New("plot diff of a filter"), "podtrack plot diff --group %s compares many runs",
			textform.ShellQuote(q.args[0]))
	}
	a, b := parts[0], parts[1]
	if a.WholeRun != b.WholeRun {
		return nil, schema.Hint(fmt.Errorf("%s and %s are of different kinds", q.args[0], q.args[1]),
			"give two runs or two iterations RUN:K")
	}
	var runs [2]*diff.Run
	for i, p := range parts {
		if runs[i], err = diff.New(p.Records); err != nil {
			return nil, err
		}
	}
	r, err := diff.CompareRefs(ctx, runs[0], report.Ref{WholeRun: a.WholeRun, K: a.K}, runs[1],
		report.Ref{WholeRun: b.WholeRun, K: b.K}, limits)
	if err != nil {
		return nil, err
	}
	f, err := figure.NewSimilarity(q.args[0], q.args[1], r)
	return ofParts(f, parts...), err
}

// plotDiffGroup draws the similarity of runs, which does not depend on the thresholds.
func plotDiffGroup(ctx context.Context, q request, out picture) (figure.Figure, error) {
	if q.cosine != nil {
		return nil, schema.Hint(errors.New("--cosine together with --group"),
			"leave it out: the picture shows how similar runs are; podtrack diff --group --cosine uses it")
	}
	if len(q.args) == 0 {
		return nil, plotTakes(q)
	}
	options := diff.GroupOptions{Draws: 1} // no p-value is drawn
	if q.by != nil {
		var err error
		if options.By, err = diffcmd.ParseKind(*q.by); err != nil {
			return nil, err
		}
	}
	selected, err := cmdline.SelectSomeRunsOf(ctx, q.store, q.args)
	if err == nil {
		err = figure.CheckRows(len(selected), out.format)
	}
	if err != nil {
		return nil, err
	}
	runs, err := diff.OpenGroup(ctx, q.store, selected, options.By)
	if err != nil {
		return nil, err
	}
	g, err := diff.ClusterRuns(ctx, runs, options)
	if err != nil {
		return nil, err
	}
	f, err := figure.NewRunSimilarity(g)
	return figure.WithRuns(f, selected...), err
}

func plotCompare(ctx context.Context, q request, out picture) (figure.Figure, error) {
	measures, err := group.ParseMeasures(textOr(q.measure, compare.DefaultMeasures()))
	if err != nil {
		return nil, err
	}
	compared, err := compare.CompareGroups(ctx, q.store, compare.Groups{
		Command: "podtrack plot compare", Filters: q.args, By: q.by, Baseline: q.baseline,
		Paired: q.paired, Measures: measures, Check: checkGroups(out),
	})
	if err != nil {
		return nil, err
	}
	cmdline.PrintNotes(q.warn, compared.Notes())
	if c := compared.Several; c != nil {
		return ofGroups(figure.GroupContrasts{Compared: *c}, c.Groups...), nil
	}
	two := *compared.Two
	return ofGroups(figure.GroupComparison{Compared: two}, two.A, two.B), nil
}

// plotMeasures draws the measures of the runs that a filter selects, split into groups.
func plotMeasures(ctx context.Context, q request, out picture) (figure.Figure, error) {
	measures, err := group.ParseMeasures(textOr(q.measure, compare.DefaultMeasures()))
	if err != nil {
		return nil, err
	}
	by, groups, err := selectGroups(ctx, q, measures, out)
	if err != nil {
		return nil, err
	}
	s := group.SummariseAll(by, groups, measures)
	cmdline.PrintNotes(q.warn, compare.LackNotes(s))
	f := figure.Measures{Filter: report.FormatSelection(report.SplitSelection(q.args)), Of: s}
	return ofGroups(f, groups...), nil
}

// checkGroups returns a function that reports more groups than a picture has room for.
func checkGroups(out picture) func(groups int) error {
	return out.checkGroups
}

// ofGroups returns a figure with the runs of groups.
func ofGroups(f figure.Figure, groups ...group.Group) figure.Figure {
	var runs []report.Run
	for _, g := range groups {
		runs = append(runs, g.Selected()...)
	}
	return figure.WithRuns(f, runs...)
}

// selectGroups reads measures of the runs that a filter selects, split by fields. More groups than a picture has room
// for are an error before anything of them is read.
func selectGroups(
	ctx context.Context, q request, measures []string, out picture,
) (by []string, groups []group.Group, err error) {
	if q.by != nil {
		if by, err = group.ParseBy(*q.by); err != nil {
			return nil, nil, err
		}
	}
	if len(q.args) == 0 {
		return nil, nil, plotTakes(q)
	}
	if q.groups {
		if err = out.checkGroups(len(q.args)); err != nil {
			return nil, nil, err
		}
		err = q.store.View(ctx, func(tx *tracker.Tx) error {
			groups, err = group.SelectAll(ctx, tx, measures, q.args)
			return err
		})
		return nil, groups, err
	}
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
		split, err := group.SplitBy(tx, by, q.args...)
		if err == nil {
			err = out.checkGroups(split.Groups())
		}
		if err != nil {
			return err
		}
		groups, err = split.Read(ctx, tx, measures)
		return err
	})
	return by, groups, err
}

// plotBands draws the mean curves of groups of runs.
func plotBands(ctx context.Context, q request, curve group.Curve, out picture) (figure.Figure, error) {
	if q.groups && q.by != nil {
		return nil, schema.Hint(errors.New("--groups together with --by"), "leave one out: --by splits one filter")
	}
	how := "--by"
	if q.groups {
		how = "--groups"
	}
	if q.against != nil {
		return nil, schema.Hint(errors.New("--against together with "+how),
			"leave it out: groups are shown beside each other; the baseline may be a group of runs of its own")
	}
	if q.steps != nil {
		return nil, schema.Hint(errors.New("--steps together with "+how), "leave it out: bands are of all steps")
	}
	by, groups, err := selectGroups(ctx, q, nil, out)
	if err != nil {
		return nil, err
	}
	bands, err := group.ReadBands(ctx, q.store, by, groups, curve, group.BandPoints)
	if err != nil {
		return nil, err
	}
	cmdline.PrintNotes(q.warn, compare.MissingNotes(groups))
	return ofGroups(figure.Bands{Filter: report.FormatSelection(report.SplitSelection(q.args)), Of: bands}, groups...), nil
}

// plotLineage draws the lineage of a run's eigenpurposes, or of an option and its ancestors.
func plotLineage(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	if len(q.args) != 1 {
		return nil, plotTakes(q)
	}
	ref, err := report.ParseRefOf(q.args[0], report.RefRun, report.RefOption)
	if err != nil {
		return nil, err
	}
	if ref.IsOption() && q.cosine != nil {
		return nil, schema.Hint(errors.New("--cosine of an option's ancestors"),
			"leave it out; it shows which purposes of a run continue")
	}
	limits, err := parseCosine(q)
	if err != nil {
		return nil, err
	}
	run, err := diff.Open(ctx, q.store, ref.Run)
	if err != nil {
		return nil, err
	}
	if !ref.IsOption() {
		return plotLines(ctx, run, limits)
	}
	if ref, err = report.ResolveRef(run.Records, ref); err != nil {
		return nil, err
	}
	r, err := why.Explain(ctx, run.Records, why.Question{Ref: ref})
	if err != nil {
		return nil, err
	}
	e, err := why.FindEffects(ctx, run.Records, ref, func(int, int) {})
	if err != nil {
		return nil, err
	}
	lanes, err := run.Lineages(ctx, limits)
	if err != nil {
		return nil, err
	}
	f, err := figure.NewAncestry(r, e, lanes)
	return figure.WithRuns(f, report.Of(run.Records)), err
}

func plotLines(ctx context.Context, run *diff.Run, limits diff.Limits) (figure.Figure, error) {
	lines, err := run.Lineages(ctx, limits)
	if err != nil {
		return nil, err
	}
	f, err := figure.NewLineage(figure.Source{Records: run.Records, WholeRun: true}, lines, limits.WithDefaults().Cosine)
	return figure.WithRuns(f, report.Of(run.Records)), err
}
