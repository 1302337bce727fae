package inspect

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

// options is the command options, with its flags.
type options struct {
	iteration *int
	rejected  bool
	sort      string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "options", Group: cmdline.GroupInspect, Place: 4,
	Example: "podtrack options ring0 --iteration 1",
	JSON:    []any{[]report.Option{}, []report.Rejected{}},
	Usage:   "list the options of runs and what they were used for",
	Args:    "RUN… | FILTER",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var o options
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Optional(&o.iteration, "iteration", "list only those of iteration `K`", "all iterations"),
			cmdline.Flag(&o.rejected, "rejected", "list the directions that did not become options, and why"),
			cmdline.Flag(&o.sort, "sort", "order by `KEYS`, downwards with a minus before one: "+
				strings.Join(report.OptionKeys(), ", ")),
		}, cmdline.Answering(o.list)
	},
})

func (o *options) list(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.SomeArgs(c); err != nil {
		return a, err
	}
	if o.rejected && o.sort != "" {
		return a, schema.Hint(errors.New("--sort with --rejected"),
			"directions are listed in the order of σ; leave --sort out")
	}
	if err := report.SortOptions(nil, cmp.Or(o.sort, "number")); err != nil {
		return a, err
	}
	runs, err := cmdline.SelectSomeRuns(c)
	if err == nil {
		err = cmdline.CheckIteration(o.iteration, runs)
	}
	if err != nil {
		return a, err
	}
	if o.rejected {
		rows, err := readRows(c, runs, report.LoadRejected, func(r report.Rejected) bool { return o.is(r.K) })
		return cmdline.Answer{
			JSON: rows, Tables: func() table.List { return table.List{newRejectedTable(rows)} },
		}, err
	}
	load := func(tx *tracker.Tx, r report.Run) ([]report.Option, error) {
		return report.LoadOptions(tx.View, r.Source)
	}
	rows, err := readRows(c, runs, load, func(r report.Option) bool { return o.is(r.K) })
	if err == nil && o.sort != "" {
		err = report.SortOptions(rows, o.sort)
	}
	return cmdline.Answer{
		JSON: rows, Tables: func() table.List { return table.List{newOptionTable(rows)} },
	}, err
}

// is reports whether iteration k is asked for.
func (o *options) is(k int) bool { return o.iteration == nil || *o.iteration == k }

// readRows reads rows of each run, and returns those that keep returns true for.
func readRows[T any](c *cli.Context, runs []report.Run, load func(*tracker.Tx, report.Run) ([]T, error),
	keep func(T) bool) ([]T, error) {
	rows := []T{}
	for _, r := range runs {
		err := cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
			found, err := load(tx, r)
			for _, row := range found {
				if keep(row) {
					rows = append(rows, row)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
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

// newRejectedTable returns the directions that did not become options.
func newRejectedTable(rows []report.Rejected) *table.Table {
	whole := report.WholeRefs(cmdline.IDsOf(rows, func(r report.Rejected) schema.Digest { return r.Run })...)
	g := table.New(table.Left("direction").Refs(whole), table.Right("σ"))
	lambdas := slices.ContainsFunc(rows, func(r report.Rejected) bool { return r.Lambda != nil })
	if lambdas {
		g.Columns = append(g.Columns, table.Right("λ"))
	}
	g.Columns = append(g.Columns, table.Left("reason").CSV("rejected since"))
	for _, r := range rows {
		row := []string{r.Direction, table.Number(&r.Sigma, 3)}
		if lambdas {
			row = append(row, table.Number(r.Lambda, 6))
		}
		g.Add(append(row, r.Why)...)
	}
	return g
}
