package plot

import (
	"context"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/compare"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diff"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// plotKind is a figure that plot can draw.
type plotKind struct {
	name, usage, args, description string
	flags                          []cli.Flag
	read                           func(context.Context, request, picture) (figure.Figure, error)

	offPage bool // the page does not have it
}

func plotKinds() []plotKind {
	return []plotKind{
		{name: "walk", usage: "position over time, as in the paper's Figure 1", args: "RUN|RUN:K… | FILTER [--by LIST] | --groups FILTER…",
			flags: []cli.Flag{againstFlag(), stepsFlag(), compare.ByFlag(), groupsFlag()}, read: plotWalk,
			description: "Steps to the right of the first state, not wrapped round. Dashed lines are the beginnings of " +
				"iterations.\n" +
				"A single run is shown beside what the same seed does with primitive actions alone.\n" +
				"With --by it draws the mean distance from the first state of each group of runs, with its interval."},
		{name: "coverage", usage: "distinct states visited over time", args: "RUN|RUN:K… | FILTER [--by LIST] | --groups FILTER…",
			flags: []cli.Flag{againstFlag(), stepsFlag(), compare.ByFlag(), groupsFlag()}, read: plotCoverage,
			description: "With --by it draws the mean of each group of runs, with its interval."},
		{name: "visits", usage: "when a run first visited each state", args: "RUN|RUN:K", read: plotVisits,
			description: "On a grid by cell, elsewhere by state: of a ring, those on the left of the first state have\n" +
				"negative numbers. With RUN:K only the states that were first visited in that iteration."},
		{name: "table1", usage: "the measures of Table 1: the paper's and those of both readings",
			flags: []cli.Flag{runner.RunsFlag()}, read: plotTable1,
			description: "Takes the runs that podtrack reproduce table1 made. Bars are one sd over the runs each way."},
		{name: "exploration", usage: "a registered study: the outcome of each way to discover options, by environment",
			flags: []cli.Flag{&cli.StringFlag{Name: "runs",
				Usage: "draw the first `N` seeds in the store", DefaultText: "what was published of the whole study"}},
			read:        plotExploration,
			description: "With --runs it takes the runs that podtrack reproduce exploration made.", offPage: true},
		{name: "spectrum", usage: "singular values by iteration, with κ", args: "RUN|RUN:K", read: plotSpectrum},
		{name: "purposes", usage: "eigenpurposes over the features", args: "RUN|RUN:K", read: plotPurposes},
		{name: "option", usage: "an option's values, policy and I over the states", args: "RUN:#N | RUN:K/J+ | RUN:K/J-",
			read: plotOption,
			flags: []cli.Flag{&cli.StringFlag{Name: "states", Usage: "show the states `LOW:HIGH` alone, such as -64:63",
				DefaultText: "all, or some periods of a large ring"}}},
		{name: "evaluation", usage: "how soon agents learn a task with the options, and without", args: "RUN[:K]",
			read: plotEvaluation,
			flags: []cli.Flag{&cli.StringFlag{Name: "evaluation",
				Usage: "the one whose digest `BEGINS` so, where there are several"}}},
		{name: "goals", usage: "for which goals options are worth having, of an evaluation of many tasks", args: "RUN[:K]",
			read: plotGoals,
			flags: []cli.Flag{
				&cli.StringFlag{Name: "measure", Usage: "show the ratio of `NAME`: early, late (steps) or area", Value: "early"},
				&cli.StringFlag{Name: "against", Usage: "divide by `NAME`: primitives or another baseline of the evaluation",
					Value: schema.AgainstPrimitives},
				&cli.StringFlag{Name: "evaluation", Usage: "the one whose digest `BEGINS` so, where there are several"}},
			description: "On a grid a map of the goals, else bars. The CSV has all measures of all tasks."},
		{name: "diff", usage: "how similar the matched purposes of runs are, beside chance", args: "A B | --group FILTER",
			read: plotDiff,
			flags: []cli.Flag{diff.CosineFlag(), unseenFlag("agreement"), unseenFlag("gap"),
				&cli.BoolFlag{Name: "group", Usage: "any two of many runs, as a heat map with a dendrogram"}, diff.ByFlag()},
			description: "The dendrogram joins runs by average linkage of 1 − similarity; it orders the rows."},
		{name: "measures", usage: "the measures of groups of runs by iteration, with intervals", args: "FILTER",
			read:  plotMeasures,
			flags: []cli.Flag{compare.ByFlag(), compare.MeasureFlag()}},
		{name: "compare", usage: "the measures of two or more groups of runs, and their differences from the first",
			args:  "FILTER_A FILTER_B… | FILTER --by LIST",
			read:  plotCompare,
			flags: []cli.Flag{compare.MeasureFlag(), compare.PairedFlag(), compare.ByFlag(), compare.BaselineFlag()}},
		{name: "lineage", usage: "which purposes continue in a run, or the ancestors and descendants of an option",
			args:  "RUN | RUN:#N | RUN:K/J+ | RUN:K/J-",
			read:  plotLineage,
			flags: []cli.Flag{diff.CosineFlag()}},
	}
}

// Command returns the command podtrack plot.
func Command() *cli.Command {
	c := &cli.Command{
		Name:  "plot",
		Usage: "draw a figure of what was recorded, as PNG, SVG or PDF, or write the numbers in it",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return schema.Hint(fmt.Errorf("plot what?"), "the figures are %s", strings.Join(plotNames(), ", "))
			}
			return schema.Hint(fmt.Errorf("plot does not know %q", c.Args().First()), "%s",
				textform.DidYouMean(c.Args().First(), "figures", plotNames()))
		},
	}
	known := map[string]bool{}
	for _, kind := range plotKinds() {
		sub := kind.command()
		c.Subcommands = append(c.Subcommands, sub)
		c.Flags = addHidden(c.Flags, sub.Flags, known)
	}
	return c
}

// addHidden adds the flags of a command's subcommands as hidden flags, so that the command itself
// can report an unknown figure. It notes their names as known.
func addHidden(flags, of []cli.Flag, known map[string]bool) []cli.Flag {
	for _, f := range of {
		name := f.Names()[0]
		if known[name] {
			continue
		}
		known[name] = true
		if _, isBool := f.(*cli.BoolFlag); isBool {
			flags = append(flags, &cli.BoolFlag{Name: name, Hidden: true})
		} else {
			flags = append(flags, &cli.StringFlag{Name: name, Hidden: true})
		}
	}
	return flags
}

func plotNames() (names []string) {
	for _, kind := range plotKinds() {
		names = append(names, kind.name)
	}
	return names
}

func (k plotKind) command() *cli.Command {
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Description: k.description,
		Flags: append(append([]cli.Flag{cmdline.StoreFlag()}, k.flags...), pictureFlags()...),
		Action: func(c *cli.Context) error {
			out, err := parsePicture(c)
			if err != nil {
				return err
			}
			q := requestOf(c, k.name, k.args)
			f, err := k.read(c.Context, q, out)
			if err != nil {
				return cmdline.StoppedExport(err)
			}
			return cmdline.StoppedExport(out.write(c, f))
		},
	}
}
