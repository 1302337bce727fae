package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// defaultColumns are those of CSV, Markdown and LaTeX, where they do not depend on the runs.
const defaultColumns = "run,name,bits,hide,reading,seed,iterations,target,status,head"

// bestLimit is how many runs --best lists unless --limit is given.
const bestLimit = 10

// lsFlags is the command ls, with its flags.
type lsFlags struct {
	columns, best *string
	sort          string
	limit         *int
}

var _ = cmdline.Register(cmdline.Command{
	Name: "ls", Group: cmdline.GroupInspect, Place: 1,
	Example: "podtrack ls bits=7 --sort -seed",
	JSON:    []any{[]report.Run{}},
	Served:  []string{"columns", "sort", "best", "limit"},
	Usage:   "list runs, the newest first",
	Args:    "[RUN… | FILTER]",
	Description: `A FILTER is one or more terms: seed=0-29 reading=as-published 'kappa<=2'
'distance>200' 'purposes!=6' tag~stu. A shell leaves kappa.le=2 alone, with ne, lt,
le, gt, ge or like. Measures are those of a run's last iteration.
The columns are the fields in which the listed runs differ, and those that the
filter and --sort name.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f lsFlags
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), cmdline.QuietFlag(), table.FormatFlag(),
			cmdline.Optional(&f.columns, "columns", "the `LIST` of facts and measures to show",
				"what differs; in other formats "+defaultColumns),
			cmdline.Flag(&f.sort, "sort", "order by `KEYS`, downwards with a minus before one: kappa,-seed"),
			cmdline.Optional(&f.best, "best",
				"list the runs with the largest `MEASURE`, with a minus before it the smallest", ""),
			cmdline.Optional(&f.limit, "limit", "list `N` runs at most",
				"all; 10 with --best; the newest 1000 on a terminal"),
		}, cmdline.Answering(f.list)
	},
})

// terminalLimit is the number of runs that ls lists on a terminal by default. Output to a file or a pipe has all runs.
const terminalLimit = 1000

// lsQuery is what the flags of ls ask for.
type lsQuery struct {
	format  string
	columns []string // nil for the default ones
	sort    string   // "" for newest first
	limit   int      // 0 for no limit
}

func (l *lsFlags) parse(c *cli.Context) (q lsQuery, err error) {
	if q.format, err = table.ParseFormat(c); err != nil {
		return q, err
	}
	if l.columns != nil {
		q.columns = strings.Split(*l.columns, ",")
		for _, name := range q.columns {
			if !slices.Contains(report.FilterKeys(), name) && !report.MayBeDeclared(name) {
				return q, unknownColumnError(name, nil)
			}
		}
	}
	q.sort = l.sort
	if l.limit != nil {
		if q.limit = *l.limit; q.limit < 1 {
			return q, schema.Hint(fmt.Errorf("--limit: invalid value %d", q.limit), "list at least 1 run")
		}
	}
	if l.best != nil {
		best := *l.best
		name, smallest := strings.CutPrefix(best, "-")
		switch {
		case q.sort != "":
			return q, schema.Hint(errors.New("--best together with --sort"), "give one of them")
		case report.IsTerm(best):
			return q, schema.Hint(fmt.Errorf("--best needs a measure, and %s is a filter", best),
				"podtrack ls --best distance %s; podtrack help glossary lists the measures", textfmt.ShellQuote(best))
		case !report.MayBeMeasure(name):
			return q, schema.Hint(fmt.Errorf("--best: %q is not a measure", name), "%s",
				textfmt.DidYouMean(name, "measures", report.MeasureNames()))
		}
		if q.sort = "-" + name; smallest {
			q.sort = name
		}
		q.limit = cmp.Or(q.limit, bestLimit)
	}
	isText := q.format == table.Formats[0] && !cmdline.WantsJSON(c) && !c.Bool("quiet")
	if isText && c.NArg() == 0 && q.sort == "" && q.limit == 0 && cmdline.IsTerminal(c.App.Writer) {
		q.limit = terminalLimit
	}
	return q, report.Sort(nil, cmp.Or(q.sort, "run"))
}

// asked returns the keys that the sorting and the filter name.
func (l lsQuery) asked(args []string) []string {
	return append(report.SortKeys(l.sort), report.TermKeys(args)...)
}

func (l *lsFlags) list(c *cli.Context) (a cmdline.Answer, err error) {
	q, err := l.parse(c)
	if err != nil {
		return a, err
	}
	runs, total, err := q.selectRuns(c)
	if err != nil {
		return a, err
	}
	var none error // the error of a filter that finds nothing, reported after the empty list
	if len(runs) == 0 && c.NArg() > 0 {
		_, none = cmdline.SelectSomeRuns(c)
	}
	a = cmdline.Answer{
		JSON:   runs,
		Title:  "Runs",
		More:   comparisonsOf(runs, c.Args().Slice()),
		Tables: func() table.List { return table.List{q.listing(runs, c.Args().Slice())} },
		Text: func(w table.Text) {
			if c.Bool("quiet") {
				runview.PrintIDs(w, runs)
				return
			}
			w.Table(q.listing(runs, c.Args().Slice()))
			if q.columns == nil && none == nil {
				runview.PrintShared(w, runs)
			}
		},
		Verdict: none,
	}
	if len(runs) < total && !c.Bool("quiet") {
		a.More = append(a.More, slices.Concat([]string{"ls"}, c.Args().Slice(), []string{fmt.Sprintf("--limit=%d", total)}))
		a.Note = fmt.Sprintf("%d of %s; --limit lists more", len(runs), textfmt.CountOf(total, "run"))
	}
	return a, nil
}

// comparisonsOf returns what compares the runs of a filter.
func comparisonsOf(runs []report.Run, args []string) (more [][]string) {
	if len(runs) < 2 || len(args) == 0 {
		return nil
	}
	if _, fields := report.CompareFields(runs); len(fields) > 0 {
		fields = slices.DeleteFunc(fields, func(name string) bool { return name == "seed" || name == "data" })
		if len(fields) > 0 {
			more = append(more, slices.Concat([]string{"compare"}, args, []string{"--by=" + strings.Join(fields, ",")}))
		}
	}
	more = append(more, slices.Concat([]string{"show", "--group"}, args))
	if !slices.ContainsFunc(runs, func(r report.Run) bool { return r.Env != runs[0].Env || r.Iterations == 0 }) {
		more = append(more, slices.Concat([]string{"diff", "--group"}, args))
	}
	if figure.CheckParts(len(runs)) == nil {
		more = append(more, slices.Concat([]string{"plot", "coverage"}, args))
	}
	return more
}

// selectRuns returns the runs to list, and how many there are without the limit.
func (l lsQuery) selectRuns(c *cli.Context) (runs []report.Run, total int, err error) {
	args, most := c.Args().Slice(), math.MaxInt
	if l.limit > 0 && l.sort == "" {
		most = l.limit // the newest alone have to be read
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) (err error) {
		if total, runs, err = report.SelectFirst(tx, args, most); err != nil {
			return err
		}
		return report.LoadColumns(tx, runs, append(l.asked(args), l.columns...))
	})
	if err == nil && l.sort != "" {
		err = report.Sort(runs, l.sort)
	}
	for _, name := range l.columns {
		if err == nil && len(runs) > 0 && !report.IsKeyOf(runs, name) { // it is a parameter of no environment of the runs
			err = unknownColumnError(name, runs)
		}
	}
	if err == nil && l.limit > 0 {
		runs = runs[:min(l.limit, len(runs))]
	}
	return runs, total, err
}

// listing returns the table of the runs that args have selected.
func (l lsQuery) listing(runs []report.Run, args []string) *table.Table {
	switch text := l.format == table.Formats[0] || l.format == table.HTML; {
	case l.columns != nil:
		return runview.NewListing(l.columns, runs, !text)
	case text:
		return runview.Hideable(runview.NewListing(runview.ColumnsFor(runs, l.asked(args)...), runs, false))
	}
	listing := runview.NewListing(strings.Split(defaultColumns, ","), runs, true)
	if l.format == "latex" {
		return runview.Hideable(listing)
	}
	return listing
}

func unknownColumnError(name string, runs []report.Run) error {
	return schema.Hint(fmt.Errorf("unknown column %q", name), "%s",
		textfmt.DidYouMean(name, "columns", report.KeysOf(runs)))
}
