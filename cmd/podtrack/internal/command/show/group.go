package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diffview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

var _ = figure.Register(figure.Kind{
	Name: "diff", Usage: "how similar the matched purposes of runs are, beside chance", Args: "A B | --group FILTER",
	Example: "ring0 ring1", Read: plotDiff,
	Choices: []figure.Choice{
		{Name: "group", Usage: "any two of many runs, as a heat map", Switch: true},
		{Name: "shared", Usage: "with --group: draw the options that most runs found", Switch: true},
		choiceOf(diffview.ByFlag(nil)), choiceOf(diffview.CosineFlag(nil)), choiceOf(diffview.AgreementFlag(nil))},
})

var _ = figure.Register(figure.Kind{
	Name: "measures", Usage: "the measures of groups of runs by iteration, with intervals", Args: "FILTER",
	Example: "bits=7 --by seed", Read: plotMeasures,
	Choices: []figure.Choice{choiceOf(groupview.ByFlag(nil)),
		choiceOf(groupview.MeasureFlag(new(groupview.DefaultMeasures()))),
		{Name: "smooth", Usage: "draw the mean of `N` iterations, an odd number, around each, over the curve itself"}},
})

var _ = figure.Register(figure.Kind{
	Name: "outcomes", Usage: "the outcomes of a study: each variant in each setting, with intervals and verdicts",
	Args: "study=NAME [FILTER]", Example: "study=rooms", Read: plotOutcomes,
	Choices: []figure.Choice{
		{Name: "profile", Switch: true, Usage: "draw performance profiles: the share of runs above each outcome"},
		{Name: "overall", Switch: true, Usage: "draw the scores of variants over the settings of each part of the study"}},
	Description: "The numbers and the verdicts are those of podtrack compare study=NAME.",
})

// plotOutcomes draws the outcomes of the study that the arguments name.
func plotOutcomes(ctx context.Context, q figure.Request) (figure.Figure, error) {
	overall := q.IsOn("overall")
	if overall && q.IsOn("profile") {
		return nil, schema.Hint(errors.New("--overall together with --profile"), "leave one out; they are two figures")
	}
	of, runs, err := readOutcomes(ctx, q)
	if err != nil {
		return nil, err
	}
	if overall {
		if len(of.Overall) == 0 {
			return nil, group.NoPart(of)
		}
		of = of.OverParts()
	}
	f, err := figure.NewOutcomes(of)
	if f.Profile, f.Overall = q.IsOn("profile"), overall; err == nil && f.Profile {
		err = q.CheckGroups(f.Drawn())
	}
	return figure.WithRuns(f, runs...), err
}

// readOutcomes compares the variants of a study, and returns the runs of a study of the store.
func readOutcomes(ctx context.Context, q figure.Request) (of *group.StudyComparison, runs []report.Run, err error) {
	if _, ok := report.StudyOf(q.Args); !ok {
		return nil, nil, schema.Hint(errors.New("plot outcomes takes one study"),
			"podtrack plot outcomes study=NAME; podtrack ls --columns run,study lists the studies of runs")
	}
	if of, err = group.CompareStudy(ctx, q.Store, q.Args); err != nil {
		return nil, nil, err
	}
	runs, err = cmdline.SelectSomeRunsOf(ctx, q.Store, q.Args)
	return of, runs, err
}

// plotDiff draws the comparison of two runs or iterations, or of the runs that a filter selects.
func plotDiff(ctx context.Context, q figure.Request) (figure.Figure, error) {
	limits, err := diffview.ParseLimits(q.Get("cosine"), q.Get("agreement"), nil)
	if err != nil {
		return nil, err
	}
	if q.IsOn("group") {
		return plotDiffGroup(ctx, q, limits)
	}
	for _, name := range []string{"by", "shared"} {
		if q.Get(name) != nil {
			return nil, schema.Hint(fmt.Errorf("--%s without --group", name),
				"podtrack plot diff --group FILTER compares many runs")
		}
	}
	if len(q.Args) != 2 {
		return nil, plotTakes(q)
	}
	parts, err := openParts(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(parts) != 2 {
		return nil, schema.Hint(errors.New("plot diff takes no filter"), "podtrack plot diff --group %s compares many runs",
			textfmt.ShellQuote(q.Args[0]))
	}
	a, b := parts[0], parts[1]
	if a.WholeRun != b.WholeRun {
		return nil, schema.Hint(fmt.Errorf("%s and %s are of different kinds", q.Args[0], q.Args[1]),
			"give two runs or two iterations RUN:K")
	}
	var runs [2]*diff.Side
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
	labels := figure.LabelParts(parts...)
	f, err := figure.NewSimilarity(labels[0], labels[1], r)
	return ofParts(f, parts...), err
}

// plotDiffGroup draws the similarity of runs.
func plotDiffGroup(ctx context.Context, q figure.Request, limits diff.Limits) (figure.Figure, error) {
	if len(q.Args) == 0 {
		return nil, plotTakes(q)
	}
	options := diff.GroupOptions{Limits: limits} // what podtrack diff asks for, so that a memo has it
	if q.Get("by") != nil {
		var err error
		if options.By, err = diffview.ParseKind(*q.Get("by")); err != nil {
			return nil, err
		}
	}
	selected, err := cmdline.SelectSomeRunsOf(ctx, q.Store, q.Args)
	if err == nil && !q.IsOn("shared") {
		err = figure.CheckRows(len(selected), q.Format)
	}
	if err != nil {
		return nil, err
	}
	g, err := diffview.Cluster(ctx, q.Warn, q.Store, selected, options)
	if err != nil {
		return nil, err
	}
	if q.IsOn("shared") {
		if g.By != diff.Options {
			return nil, schema.Hint(errors.New("--shared together with --by purposes"), "leave --by out; it draws options")
		}
		f, err := figure.ReadShared(g, func(run string) (s figure.Source, err error) {
			s.Records, err = report.Open(ctx, q.Store, run)
			return s, err
		}, q.Bins())
		return figure.WithRuns(f, selected...), err
	}
	f, err := figure.NewRunSimilarity(g)
	if err == nil && q.Format != "csv" { // which has their IDs
		labels := figure.LabelRuns(selected)
		for i, m := range g.Runs {
			f.Runs[i] = labels[slices.IndexFunc(selected, func(r report.Run) bool { return r.ID == m.Run })]
		}
	}
	return figure.WithRuns(f, selected...), err
}

// plotMeasures draws the measures of the runs that a filter selects, split into groups.
func plotMeasures(ctx context.Context, q figure.Request) (figure.Figure, error) {
	measures, err := group.ParseMeasures(q.Text("measure", groupview.DefaultMeasures()))
	smooth, notOdd := q.ParseSmooth()
	if err = cmp.Or(err, notOdd); err != nil {
		return nil, err
	}
	by, groups, err := selectGroups(ctx, q, measures)
	if err == nil {
		err = group.CheckSettings(by, groups)
	}
	if err != nil {
		return nil, err
	}
	s := group.SummariseAll(by, groups, measures)
	cmdline.PrintNotes(q.Warn, append(groupview.LackNotes(s), settingNotes(groups)...))
	f := figure.Measures{Filter: report.FormatSelection(report.SplitSelection(q.Args)), Of: s, Smooth: smooth}
	return ofGroups(f, groups...), nil
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
	ctx context.Context, q figure.Request, measures []string,
) (by []string, groups []group.Group, err error) {
	if q.Get("by") != nil {
		if by, err = group.ParseBy(*q.Get("by")); err != nil {
			return nil, nil, err
		}
	}
	if len(q.Args) == 0 {
		return nil, nil, plotTakes(q)
	}
	choice := group.Choice{Filters: q.Args, Split: true, By: by}
	var found group.Chosen
	err = q.Store.View(ctx, func(tx *tracker.Tx) error {
		if found, err = choice.Find(tx); err == nil {
			err = q.CheckGroups(found.Groups())
		}
		return err
	})
	if err == nil {
		groups, err = found.Read(ctx, q.Store, measures)
	}
	return by, groups, err
}

// settingNotes returns a note if a group has runs of several settings of a study, whose mean says little.
func settingNotes(groups []group.Group) []string {
	for _, g := range groups {
		var settings []string
		for _, r := range g.Selected() {
			if label := report.PlaceLabel(r, "setting"); label != "" && !slices.Contains(settings, label) {
				settings = append(settings, label)
			}
		}
		if len(settings) > 1 {
			return []string{fmt.Sprintf("Means are over runs of several settings: %s. Add setting=NAME to the filter, or "+
				"split by it: --by setting,variant.", textfmt.JoinWords(settings))}
		}
	}
	return nil
}

// plotBands draws the mean coverage of groups of runs.
func plotBands(ctx context.Context, q figure.Request) (figure.Figure, error) {
	by, groups, err := selectGroups(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	bands, err := group.ReadBands(ctx, q.Store, by, groups, group.BandPoints)
	if err != nil {
		return nil, err
	}
	cmdline.PrintNotes(q.Warn, append(groupview.MissingNotes(groups), settingNotes(groups)...))
	f := figure.Bands{Filter: report.FormatSelection(report.SplitSelection(q.Args)), Of: bands}
	return ofGroups(f, groups...), nil
}
