package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func optionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "options",
		Usage:     "list the options of runs and what they were used for",
		ArgsUsage: "RUN… | FILTER",
		Flags: []cli.Flag{
			storeFlag(), jsonFlag(), formatFlag(),
			&cli.IntFlag{Name: "iteration", Usage: "list those of iteration `K` alone", DefaultText: "all iterations"},
			&cli.BoolFlag{Name: "rejected", Usage: "list the directions that did not become options, and why"},
			&cli.StringFlag{Name: "sort", Usage: "order by `KEY`, downwards with a minus before it: " + strings.Join(report.OptionKeys(), ", ")},
		},
		Action: options,
	}
}

func options(c *cli.Context) error {
	format, err := formatOf(c)
	if err != nil {
		return err
	}
	if err := someArgs(c); err != nil {
		return err
	}
	key := c.String("sort")
	if c.Bool("rejected") && key != "" {
		return schema.Hint(errors.New("--sort with --rejected"), "directions are listed in the order of σ; leave --sort out")
	}
	if err := report.SortOptions(nil, orNumber(key)); err != nil {
		return err
	}
	runs, err := selectRuns(c)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return report.NewNoRunsError(c.Args().Slice())
	}
	if c.Bool("rejected") {
		return rejected(c, runs, format)
	}
	rows := []report.Option{}
	for _, r := range runs {
		err := openStore(c).View(c.Context, func(tx *tracker.Tx) error {
			found, err := report.LoadOptions(tx, r)
			rows = append(rows, ofIteration(c, found, func(o report.Option) int { return o.K })...)
			return err
		})
		if err != nil {
			return err
		}
	}
	if key != "" {
		if err := report.SortOptions(rows, key); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, rows)
	}
	return optionTable(rows).print(c.App.Writer, format)
}

func orNumber(key string) string {
	if key == "" {
		return "number"
	}
	return key
}

func optionTable(rows []report.Option) *grid {
	g := &grid{columns: []string{"option", ">σ"}}
	lambdas := slices.ContainsFunc(rows, func(o report.Option) bool { return o.Lambda != nil })
	if lambdas {
		g.columns = append(g.columns, ">λ")
	}
	g.columns = append(g.columns, ">initiation", ">reach", ">longest", ">calls", ">cut", ">length", ">gained", "termination")
	for _, o := range rows {
		eigenvalues := []string{o.Option, number(&o.Sigma, 3)}
		if lambdas {
			eigenvalues = append(eigenvalues, number(o.Lambda, 6))
		}
		termination := string(o.Termination)
		if o.Null {
			termination += ", null"
		}
		g.add(append(eigenvalues, fmt.Sprint(o.Initiation), number(o.Reach, 1), fmt.Sprint(o.Longest),
			fmt.Sprint(o.Calls), fmt.Sprint(o.Cut), number(o.Length, 1), fmt.Sprint(o.Gained), termination)...)
	}
	return g
}
