// Package inspect has the commands that read what was recorded: ls, status, show, options, why, replay and env.
package inspect

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// showing is the command show, with its flags.
type showing struct {
	groupview.Selection
	spec, exploration, group bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "show", Group: cmdline.GroupInspect, Place: 3,
	Example: "podtrack show ring0",
	JSON:    []any{report.Detail{}, schema.Spec{}, group.Summary{}, group.Summaries{}},
	Usage:   "show a run, its iterations and their cost, or a summary of a group of runs",
	Args:    "RUN | --group FILTER",
	Description: `The sessions are the processes that worked on the run: since when, where, how each
ended (complete, interrupted, a signal, failed; vanished if it recorded no end) and which
iterations, or part of one, it saved. Below them is the code of the last one: its command,
the git commit of its folder, and for environments in another process the SHA-256 of
their files and the versions of their packages.

With --group, the arguments are a filter, and the measures of its runs are summarised;
--by splits them into groups, one row each, with means and their 95 % intervals
(Student's t):

  podtrack show --group hide=3 --by kappa,reading`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		s := showing{Selection: groupview.NewSelection()}
		return append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Flag(&s.spec, "spec", "print the spec alone, for run --spec"),
			cmdline.Flag(&s.exploration, "exploration", "add how the run explored: states covered, entropy of its visits, "+
				"diversity of its options"),
			cmdline.Flag(&s.group, "group", "summarise the measures of the runs that a filter finds"),
		}, s.Flags("last")...), cmdline.Answering(s.answer)
	},
})

func (s *showing) answer(c *cli.Context) (a cmdline.Answer, err error) {
	if err := s.check(c); err != nil {
		return a, err
	}
	if s.group {
		return s.Show(c)
	}
	return s.describe(c)
}

func (s *showing) describe(c *cli.Context) (a cmdline.Answer, err error) {
	ref, err := cmdline.OneArg(c, "RUN")
	if err != nil {
		return a, err
	}
	var d report.Detail
	store := cmdline.OpenStore(c)
	err = store.View(c.Context, func(tx *tracker.Tx) error {
		if d.Run, err = report.LoadRun(tx, ref); err == nil && !s.spec {
			d, err = report.Describe(tx, d.Run)
		}
		return err
	})
	if err == nil && s.exploration {
		d.Exploration, err = explore.ReadRun(store.Within(c.Context), d.Source)
	}
	if err != nil {
		return a, err
	}
	hints.SetTexts(&d.Run)
	if s.spec {
		if len(d.Ancestors) > 0 {
			fmt.Fprintln(c.App.ErrWriter, "this run is a fork: its spec alone makes another run, from iteration 0 on")
		}
		return cmdline.Answer{JSON: d.Spec, Text: func(w table.Text) { _ = cmdline.PrintJSON(w, d.Spec) }}, nil
	}
	return cmdline.Answer{
		JSON:   d,
		Text:   func(w table.Text) { printDetail(w, d) },
		Tables: func() table.List { return table.List{newFullTable(d)} },
	}, nil
}

// check returns an error for flags that exclude each other, or are for show --group.
func (s *showing) check(c *cli.Context) error {
	switch {
	case s.group && s.spec:
		return schema.Hint(errors.New("--spec is for one run, --group for many"), "leave one of them out")
	case s.group && s.exploration:
		return schema.Hint(errors.New("--exploration is for one run, --group for many"),
			"--measure exploration takes the same measures of a group")
	case s.group:
		return nil
	}
	if s.spec && s.exploration {
		return schema.Hint(errors.New("--exploration together with --spec"), "leave one of them out")
	}
	if name := cmdline.FirstSet(c, "measure", "by", "iteration"); name != "" {
		return schema.Hint(fmt.Errorf("--%s is for show --group", name), "add --group, or leave --%s out", name)
	}
	return nil
}

// newFullTable returns all columns of the run's iterations.
func newFullTable(d report.Detail) *table.Table {
	g := withExploration(withOptionNumbers(runview.NewIterationTable(d, true), d), d)
	return withExternalMeasures(g, d)
}

// printDetail prints everything about a run.
func printDetail(w table.Text, d report.Detail) {
	runview.PrintHead(w, d)
	w.Table(withOptionNumbers(runview.NewIterationTable(d, false), d))
	printCoverage(w, d)
	printExternalMeasures(w, d)
	runview.PrintPurposes(w, d)
	runview.PrintFit(w, d)
	runview.PrintWarnings(w, d.Warnings)
	w.TableBelow(newCostTable(d))
	printSessions(w, d.Sessions)
}

// withOptionNumbers adds a last column with the numbers of the options that each iteration made.
func withOptionNumbers(g *table.Table, d report.Detail) *table.Table {
	g.Columns = append(g.Columns, table.Right("option numbers").Optional(6))
	first := int64(0)
	for i, it := range d.History {
		numbers := table.None
		if it.Options > 0 {
			numbers = fmt.Sprintf("%d–%d", first, first+it.Options-1)
		}
		first += it.Options
		g.Rows[i] = append(g.Rows[i], numbers)
	}
	return g
}

// newCostTable returns a table with one row per iteration: milliseconds per stage, and bytes.
func newCostTable(d report.Detail) *table.Table {
	g := table.New(table.Right("k"))
	for _, stage := range stages.All {
		g.Columns = append(g.Columns, table.Right(stage+" ms"))
	}
	g.Columns = append(g.Columns, table.Right("records").Optional(1), table.Right("bytes"), table.Right("stored"))
	anyPruned, _ := d.Pruned()
	if anyPruned > 0 {
		g.Columns = append(g.Columns, table.Right("pruned"))
	}
	for _, it := range d.History {
		row := []string{fmt.Sprint(it.K)}
		for _, stage := range stages.All {
			ms := 1000 * it.Cost[stage]
			row = append(row, table.Number(&ms, 3))
		}
		var bytes, stored int64
		for _, r := range it.Records {
			bytes, stored = bytes+r.Bytes, stored+r.Stored
		}
		row = append(row, fmt.Sprint(len(it.Records)), fmt.Sprint(bytes), fmt.Sprint(stored))
		if anyPruned > 0 {
			row = append(row, fmt.Sprint(it.Pruned()))
		}
		g.Add(row...)
	}
	return g
}
