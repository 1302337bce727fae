package inspect

import (
	"cmp"
	"errors"
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
	Served:  []string{"iteration", "rejected", "sort"},
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
		return cmdline.Answer{JSON: rows, Tables: func() table.List {
			return table.List{table.Of(rows,
				table.Left("direction").Refs(cmdline.WholeRefs(runs, idOf)),
				table.Right("sigma").As("σ").Digits(3),
				table.Right("lambda").As("λ").Digits(6).IfAny(),
				table.Left("why").As("reason").CSV("rejected since"))}
		}}, err
	}
	load := func(tx *tracker.Tx, r report.Run) ([]report.Option, error) {
		return report.LoadOptions(tx.View, r.Source)
	}
	title, more := "Options", [][]string(nil)
	if len(runs) == 1 {
		name := runs[0].Label()
		title = "Options of " + name
		more = [][]string{{"show", name}, {"options", name, "--rejected"}, {"plot", "purposes", name}}
	}
	rows, err := readRows(c, runs, load, func(r report.Option) bool { return o.is(r.K) })
	if err == nil && o.sort != "" {
		err = report.SortOptions(rows, o.sort)
	}
	return cmdline.Answer{
		JSON: rows, Tables: func() table.List { return table.List{table.Of(rows, optionColumns(runs)...)} },
		Title: title, More: more,
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

// optionColumns returns the columns of an option of some runs.
func optionColumns(runs []report.Run) []table.Column {
	return []table.Column{
		table.Opens(table.Left("option").Refs(cmdline.WholeRefs(runs, idOf)),
			func(o *report.Option) []string { return []string{"why", o.Option} }),
		table.Right("number").As("#").CSV("number"),
		table.Right("sigma").As("σ").Digits(3),
		table.Right("lambda").As("λ").Digits(6).Optional(3).IfAny(),
		table.Right("initiation"),
		table.Right("reach").As("mean steps").CSV("reach").Digits(1),
		table.Right("longest").Optional(2),
		table.Right("calls"),
		table.Right("cut").As("truncated").CSV("cut").Optional(1),
		table.Right("length").As("option length").CSV("length").Digits(1),
		table.Right("gained").As("new states").CSV("gained"),
		table.Value(table.Left("termination").Optional(4), func(o *report.Option) any {
			if o.Null {
				return string(o.Termination) + ", null"
			}
			return o.Termination
		}),
	}
}

func idOf(r report.Run) schema.Digest { return r.ID }
