package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func optionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "options",
		Usage:     "list the options of runs and what they were used for",
		ArgsUsage: "RUN… | FILTER",
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			&cli.IntFlag{Name: "iteration", Usage: "list those of iteration `K` alone", DefaultText: "all iterations"},
			&cli.BoolFlag{Name: "rejected", Usage: "list the directions that did not become options, and why"},
			&cli.StringFlag{Name: "sort", Usage: "order by `KEYS`, downwards with a minus before one: " +
				strings.Join(report.OptionKeys(), ", ")},
		},
		Action: options,
	}
}

func options(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	key := c.String("sort")
	if c.Bool("rejected") && key != "" {
		return schema.Hint(errors.New("--sort with --rejected"), "directions are listed in the order of σ; leave --sort out")
	}
	if err := report.SortOptions(nil, orNumber(key)); err != nil {
		return err
	}
	runs, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return err
	}
	if err := cmdline.CheckIteration(c, runs); err != nil {
		return err
	}
	if c.Bool("rejected") {
		return rejected(c, runs, format)
	}
	rows := []report.Option{}
	for _, r := range runs {
		err := cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
			found, err := report.LoadOptions(tx, r)
			rows = append(rows, cmdline.OfIteration(c, found, func(o report.Option) int { return o.K })...)
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
		return cmdline.PrintJSON(c.App.Writer, rows)
	}
	return newOptionTable(rows).Print(c.App.Writer, format)
}

func orNumber(key string) string {
	if key == "" {
		return "number"
	}
	return key
}

func newOptionTable(rows []report.Option) *table.Table {
	whole := report.WholeRefs(cmdline.IDsOf(rows, func(o report.Option) schema.Digest { return o.Run })...)
	g := table.New(table.Left("option").Refs(whole), table.Right("#").CSV("number"), table.Right("σ"))
	lambdas := slices.ContainsFunc(rows, func(o report.Option) bool { return o.Lambda != nil })
	if lambdas {
		g.Columns = append(g.Columns, table.Right("λ").Optional(3))
	}
	g.Columns = append(g.Columns, table.Right("initiation"), table.Right("mean steps").CSV("reach"),
		table.Right("longest").Optional(2), table.Right("calls"), table.Right("truncated").CSV("cut").Optional(1),
		table.Right("option length").CSV("length"), table.Right("new states").CSV("gained"),
		table.Left("termination").Optional(4))
	for _, o := range rows {
		eigenvalues := []string{o.Option, fmt.Sprint(o.Number), table.Number(&o.Sigma, 3)}
		if lambdas {
			eigenvalues = append(eigenvalues, table.Number(o.Lambda, 6))
		}
		termination := string(o.Termination)
		if o.Null {
			termination += ", null"
		}
		g.Add(append(eigenvalues, fmt.Sprint(o.Initiation), table.Number(o.Reach, 1), cmp.Or(o.Longest.String(), table.None),
			fmt.Sprint(o.Calls), fmt.Sprint(o.Truncated), table.Number(o.Length, 1), fmt.Sprint(o.NewStates), termination)...)
	}
	return g
}
