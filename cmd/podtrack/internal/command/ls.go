package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

const defaultColumns = "run,name,bits,hide,reading,seed,iterations,target,status,head"

func lsCommand() *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list runs, the newest first",
		ArgsUsage: "[RUN… | FILTER]",
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			&cli.StringFlag{Name: "columns", Value: defaultColumns, Usage: "the `LIST` of facts to show"},
			&cli.StringFlag{Name: "sort", Usage: "order by `KEY`, downwards with a minus before it"},
			&cli.BoolFlag{Name: "watch", Usage: "list again as the store changes, until all that is planned is complete"},
		},
		Action: ls,
	}
}

func ls(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	columns, err := parseColumns(c.String("columns"))
	if err != nil {
		return err
	}
	if c.Bool("watch") {
		return watchInstead(c, format, columns)
	}
	runs, err := cmdline.SelectRuns(c)
	if err != nil {
		return err
	}
	if key := c.String("sort"); key != "" {
		if err := report.Sort(runs, key); err != nil {
			return err
		}
	}
	if len(runs) == 0 && c.NArg() > 0 {
		suggestSelection(c)
	}
	if c.Bool("json") {
		err = cmdline.PrintJSONList(c.App.Writer, runs)
	} else {
		g := listing(columns, runs)
		if !c.IsSet("columns") {
			g = hideable(listing(columnsFor(runs), runs))
		}
		err = g.Print(c.App.Writer, format)
	}
	if err != nil {
		return err
	}
	return progressText(c)
}

// suggestSelection prints a note if a filter that finds no runs has a name or a tag that is similar to
// one in the store.
func suggestSelection(c *cli.Context) {
	_, err := cmdline.SelectSomeRuns(c)
	var h *schema.HintedError
	if errors.As(err, &h) && h.Advice == report.AdviceSimilar {
		cmdline.PrintNotes(c.App.ErrWriter, []string{fmt.Sprintf("%v: %s", err, remedies.Of(err))})
	}
}

// watchInstead lists the runs repeatedly on a terminal or as JSON lines. It returns an error for
// other formats.
func watchInstead(c *cli.Context, format string, columns []string) error {
	if format != table.Formats[0] {
		return schema.Hint(fmt.Errorf("ls --watch does not print %s", format),
			"leave out --watch, or use --json for lines that a program reads")
	}
	if err := report.Sort(nil, cmp.Or(c.String("sort"), "run")); err != nil {
		return err
	}
	if !c.IsSet("columns") {
		columns = nil
	}
	return watchRuns(c, columns)
}

// columnsFor returns the default columns for the runs.
func columnsFor(runs []report.Run) []string {
	columns := strings.Split(defaultColumns, ",")
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Spec.Env.Name != pod.PaperSpec().Env.Name }) {
		bits := slices.Index(columns, "bits") // followed by hide; both are of the ring alone
		columns = slices.Replace(columns, bits, bits+2, append([]string{"env"}, tellingParameters(runs)...)...)
	}
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Parent() != "" }) {
		columns = append(columns, "parent")
	}
	if slices.ContainsFunc(runs, func(r report.Run) bool { return !r.Spec.Data.IsZero() }) {
		columns = append(columns, "data")
	}
	return columns
}

// tellingParameters returns the environment parameters in which the runs that have them differ,
// except maps.
func tellingParameters(runs []report.Run) (names []string) {
	values := map[string]string{}
	for _, r := range runs {
		for _, name := range r.Spec.Env.Parameters() {
			value, _ := r.Spec.Env.Parameter(name)
			first, seen := values[name]
			if !seen {
				values[name] = value
			}
			telling := name == pod.MapParameter || seen && first != value
			if telling && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func parseColumns(list string) ([]string, error) {
	columns := strings.Split(list, ",")
	for _, name := range columns {
		if !slices.Contains(report.FilterKeys(), name) {
			return nil, schema.Hint(fmt.Errorf("unknown column %q", name), "%s",
				report.DidYouMean(name, "columns", report.FilterKeys()))
		}
	}
	return columns, nil
}

var rightColumns = []string{"seed", "iterations", "target", "bits", "hide", "steps", "kappa", "gamma", "sweeps",
	"tolerance", "numerics", "features"}

// defaultRanks has the rank of every default column: 1 is hidden first, 0 never, as in
// [table.Column]. Parameters of environments have parameterRank.
var defaultRanks = map[string]int{"run": 0, "name": 0, "env": 0, "seed": 0, "iterations": 0, "status": 0,
	"reading": 5, "parent": 3, "data": 3, "target": 2, "head": 1}

const parameterRank = 4

// hideable lets a table of default columns hide some of them. Columns that the user has chosen all
// stay.
func hideable(g *table.Table) *table.Table {
	for i, c := range g.Columns {
		rank, found := defaultRanks[c.Title]
		if !found {
			rank = parameterRank
		}
		g.Columns[i].Rank = rank
	}
	return g
}

// listing returns a table of the runs with the given columns.
func listing(columns []string, runs []report.Run) *table.Table {
	g := &table.Table{}
	for _, name := range columns {
		column := table.Left(name)
		column.Right = slices.Contains(rightColumns, name)
		g.Columns = append(g.Columns, column)
	}
	cells := make([]string, len(runs)*len(columns))
	for i := range runs {
		row := cells[i*len(columns):][:len(columns)]
		for j, name := range columns {
			row[j], _ = runs[i].Field(name)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
