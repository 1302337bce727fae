package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// plotDiff is of two runs or iterations, or of the runs that a filter finds.
func plotDiff(c *cli.Context, _ picture) (figure.Figure, error) {
	if c.Bool("group") {
		g, err := groupOf(c, diff.Limits{})
		if err != nil {
			return nil, err
		}
		return figure.NewAgreement(g)
	}
	if c.NArg() != 2 {
		return nil, plotTakes(c)
	}
	parts, err := openParts(c)
	if err != nil {
		return nil, err
	}
	if len(parts) != 2 {
		return nil, schema.Hint(errors.New("plot diff of a filter"), "podtrack plot diff --group %s compares many runs", c.Args().First())
	}
	a, b := parts[0], parts[1]
	if (a.K < 0) != (b.K < 0) {
		return nil, schema.Hint(fmt.Errorf("%s and %s are not of one kind", c.Args().Get(0), c.Args().Get(1)), "give two runs or two iterations RUN:K")
	}
	var r diff.Report
	if a.K < 0 {
		r, err = diff.Runs(a.Run, b.Run, diff.Limits{})
	} else {
		r, err = diff.Iterations(a.Run, a.K, b.Run, b.K, diff.Limits{})
	}
	if err != nil {
		return nil, err
	}
	return figure.NewSimilarity(c.Args().Get(0), c.Args().Get(1), r)
}

func plotCompare(c *cli.Context, _ picture) (figure.Figure, error) {
	measures, err := group.ParseMeasures(c.String("measure"))
	if err != nil {
		return nil, err
	}
	compared, err := compareGroups(c, measures)
	if err != nil {
		return nil, err
	}
	printNotes(c.App.ErrWriter, comparisonNotes(compared))
	return figure.Contrast{Compared: compared}, nil
}

// plotLineage is of a run's purposes, or of an option and its ancestors.
func plotLineage(c *cli.Context, _ picture) (figure.Figure, error) {
	if c.NArg() != 1 {
		return nil, plotTakes(c)
	}
	ref, err := report.ParseRef(c.Args().First())
	if err != nil {
		return nil, err
	}
	if ref.K >= 0 && ref.J == 0 {
		return nil, schema.Hint(fmt.Errorf("%s is an iteration", c.Args().First()), "podtrack plot lineage %s is of the run, RUN:K/J+ of an option", ref.Run)
	}
	run, err := diff.Open(c.Context, openStore(c), ref.Run)
	if err != nil {
		return nil, err
	}
	if ref.J == 0 {
		r, err := diff.Runs(run, run, diff.Limits{})
		if err != nil {
			return nil, err
		}
		return figure.NewLineage(run.Label(), r.Lineages.A)
	}
	r, err := why.Explain(c.Context, run, why.Question{Ref: ref, Depth: -1})
	if err != nil {
		return nil, err
	}
	return figure.NewAncestry(r)
}
