package plot

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/compare"
	diffcmd "github.com/podtrack/podtrack/cmd/podtrack/internal/command/diff"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// unseenFlag returns a hidden flag for one of diff's flags that does not affect a picture.
func unseenFlag(name string) cli.Flag { return &cli.StringFlag{Name: name, Hidden: true} }

// parseSeen returns the thresholds that affect a picture.
func parseSeen(c *cli.Context) (diff.Limits, error) {
	for _, name := range []string{"agreement", "gap"} {
		if c.IsSet(name) {
			return diff.Limits{}, schema.Hint(fmt.Errorf("--%s changes nothing in this picture", name),
				"leave it out; podtrack diff A B --%s uses it", name)
		}
	}
	return diffcmd.ParseLimits(c)
}

// plotDiff draws the comparison of two runs or iterations, or of the runs that a filter selects.
func plotDiff(c *cli.Context, _ picture) (figure.Figure, error) {
	limits, err := parseSeen(c)
	if err != nil {
		return nil, err
	}
	if c.Bool("group") {
		return plotDiffGroup(c)
	}
	if c.NArg() != 2 {
		return nil, plotTakes(c)
	}
	parts, err := openParts(c)
	if err != nil {
		return nil, err
	}
	if len(parts) != 2 {
		return nil, schema.Hint(errors.New("plot diff of a filter"), "podtrack plot diff --group %s compares many runs",
			schema.ShellQuote(c.Args().First()))
	}
	a, b := parts[0], parts[1]
	if (a.K < 0) != (b.K < 0) {
		return nil, schema.Hint(fmt.Errorf("%s and %s are of different kinds", c.Args().Get(0), c.Args().Get(1)),
			"give two runs or two iterations RUN:K")
	}
	var r diff.Report
	if a.K < 0 {
		r, err = diff.CompareRuns(c.Context, a.Run, b.Run, limits)
	} else {
		r, err = diff.CompareIterations(c.Context, a.Run, a.K, b.Run, b.K, limits)
	}
	if err != nil {
		return nil, err
	}
	return figure.NewSimilarity(c.Args().Get(0), c.Args().Get(1), r)
}

// plotDiffGroup draws the similarity of runs, which does not depend on the thresholds.
func plotDiffGroup(c *cli.Context) (figure.Figure, error) {
	if c.IsSet("cosine") {
		return nil, schema.Hint(errors.New("--cosine together with --group"),
			"leave it out: the picture shows how similar runs are; podtrack diff --group --cosine uses it")
	}
	g, err := diffcmd.GroupOf(c, diff.Limits{})
	if err != nil {
		return nil, err
	}
	return figure.NewRunSimilarity(g)
}

func plotCompare(c *cli.Context, _ picture) (figure.Figure, error) {
	measures, err := group.ParseMeasures(c.String("measure"))
	if err != nil {
		return nil, err
	}
	compared, err := compare.CompareGroups(c, measures)
	if err != nil {
		return nil, err
	}
	cmdline.PrintNotes(c.App.ErrWriter, compare.ComparisonNotes(compared))
	return figure.GroupComparison{Compared: compared}, nil
}

// plotLineage draws the lineage of a run's eigenpurposes, or of an option and its ancestors.
func plotLineage(c *cli.Context, _ picture) (figure.Figure, error) {
	if c.NArg() != 1 {
		return nil, plotTakes(c)
	}
	ref, err := report.ParseRef(c.Args().First())
	if err != nil {
		return nil, err
	}
	if ref.K >= 0 && ref.J == 0 {
		return nil, schema.Hint(fmt.Errorf("%s is an iteration", c.Args().First()),
			"podtrack plot lineage %s is of the run, RUN:K/J+ of an option", schema.ShellQuote(ref.Run))
	}
	if ref.J > 0 && c.IsSet("cosine") {
		return nil, schema.Hint(errors.New("--cosine of an option's ancestors"),
			"leave it out; it shows which purposes of a run continue")
	}
	limits, err := diffcmd.ParseLimits(c)
	if err != nil {
		return nil, err
	}
	run, err := diff.Open(c.Context, cmdline.OpenStore(c), ref.Run)
	if err != nil {
		return nil, err
	}
	if ref.J == 0 {
		return plotLines(c.Context, run, limits)
	}
	r, err := why.Explain(c.Context, run, why.Question{Ref: ref, Depth: -1})
	if err != nil {
		return nil, err
	}
	return figure.NewAncestry(r)
}

func plotLines(ctx context.Context, run *diff.Run, limits diff.Limits) (figure.Figure, error) {
	r, err := diff.CompareRuns(ctx, run, run, limits)
	if err != nil {
		return nil, err
	}
	return figure.NewLineage(figure.Source{Run: run, K: -1}, r.Lineages.A)
}
