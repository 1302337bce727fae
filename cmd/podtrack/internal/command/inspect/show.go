// Package inspect has the commands that read what was recorded: ls, status, show, options, why, replay and env.
package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
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
	JSON:    []any{report.Detail{}, schema.Spec{}, group.Summary{}, group.Summaries{}, picture{}},
	Served:  []string{"spec", "exploration", "group", "measure", "by", "iteration"},
	Usage:   "show a run, its iterations and their cost, or a summary of a group of runs",
	Args:    "RUN | --group FILTER | PICTURE",
	Description: `The sessions are the processes that worked on the run: since when, where, how each
ended (complete, interrupted, a signal, failed; vanished if it recorded no end) and which
iterations, or part of one, it saved. Below them is the code of the last one: its command,
the git commit of its folder, and for environments in another process the SHA-256 of
their files and the versions of their packages. Of a PICTURE that podtrack plot wrote (PNG,
SVG, PDF) it shows what that is of: the runs, their heads and settings.

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
	if picture, err := readPicture(c, ref); err != nil || picture.Caption != "" {
		return cmdline.Answer{JSON: picture, Text: func(w table.Text) { w.Prose("%s", picture.Caption) }}, err
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
		JSON: d, Title: "Run " + d.Label(), Figures: figuresOf(d), More: moreOf(d),
		Text: func(w table.Text) { printDetail(w, d) },
		Tables: func() table.List {
			return table.List{runview.NewIterationTable(d, true,
				slices.Concat(optionNumbers(d), explorationColumns(d.Exploration), externalColumns(d))...)}
		},
	}, nil
}

// A picture is a file that podtrack plot wrote.
type picture struct {
	File    string `json:"file"`
	Caption string `json:"caption"` // what it shows, and of which runs with which heads
}

// readPicture returns the picture with that name, without a caption if there is none.
func readPicture(c *cli.Context, name string) (p picture, err error) {
	if cmdline.IsServed(c.Context) || !slices.Contains(chart.PictureFormats, strings.TrimPrefix(filepath.Ext(name), ".")) {
		return p, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestPicture {
		return p, nil // it may be the name of a run
	}
	file, err := os.ReadFile(name)
	if p = (picture{name, textfmt.EscapeLine(chart.ReadCaption(file))}); err == nil && p.Caption == "" {
		err = schema.Hint(fmt.Errorf("%s is no picture with a caption", name), "podtrack plot writes some")
	}
	return p, err
}

const longestPicture = 64 << 20 // bytes

// figuresOf returns what draws a run.
func figuresOf(d report.Detail) [][]string {
	name := d.ID.String()
	switch env, err := pod.NewEnvForSpec(d.Spec); {
	case len(d.History) == 0 || err != nil:
		return nil
	case !envs.HasActions(env):
		return [][]string{{"spectrum", name}, {"purposes", name}}
	case d.History[0].Measures.Distance != nil:
		return [][]string{{"walk", name}, {"visits", name}, {"spectrum", name}}
	}
	return [][]string{{"coverage", name}, {"visits", name}, {"spectrum", name}}
}

// moreOf returns what says more about a run.
func moreOf(d report.Detail) (more [][]string) {
	name := d.Label()
	if len(d.History) > 0 {
		more = append(more, []string{"options", name}, []string{"options", name, "--rejected"},
			[]string{"show", name, "--exploration"})
	}
	for _, a := range d.Ancestors {
		more = append(more, []string{"diff", a.Run.String(), name})
	}
	return append(more, []string{"show", name, "--spec"}, []string{"replay", name}, []string{"status", name})
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

// printDetail prints everything about a run.
func printDetail(w table.Text, d report.Detail) {
	runview.PrintHead(w, d)
	w.Table(runview.NewIterationTable(d, false, optionNumbers(d)...))
	printCoverage(w, d)
	printExternalMeasures(w, d)
	runview.PrintPurposes(w, d)
	runview.PrintFit(w, d)
	runview.PrintWarnings(w, d.Warnings)
	w.TableBelow(table.Of(d.History, costColumns()...))
	printSessions(w, d.Sessions)
}

// optionNumbers returns the column with the numbers of the options that each iteration made.
func optionNumbers(d report.Detail) []table.Column {
	first, before := map[int]int64{}, int64(0)
	for _, it := range d.History {
		first[it.K] = before
		before += it.Options
	}
	return []table.Column{table.Value(table.Right("option numbers").Optional(6), func(it *report.Iteration) any {
		if it.Options == 0 {
			return nil
		}
		return fmt.Sprintf("%d–%d", first[it.K], first[it.K]+it.Options-1)
	})}
}

// costColumns returns the columns of what iterations took: milliseconds for each stage, and bytes.
func costColumns() []table.Column {
	columns := []table.Column{table.Right("k")}
	for _, stage := range stages.All {
		columns = append(columns, table.Value(table.Right(stage+" ms").Digits(3),
			func(it *report.Iteration) any { return 1000 * it.Cost[stage] }))
	}
	sum := func(of func(report.Record) int64) func(it *report.Iteration) any {
		return func(it *report.Iteration) any {
			total := int64(0)
			for _, r := range it.Records {
				total += of(r)
			}
			return total
		}
	}
	return append(columns,
		table.Value(table.Right("records").Optional(1), func(it *report.Iteration) any { return len(it.Records) }),
		table.Value(table.Right("bytes"), sum(func(r report.Record) int64 { return r.Bytes })),
		table.Value(table.Right("stored"), sum(func(r report.Record) int64 { return r.Stored })),
		table.Value(table.Right("pruned").IfAny(), func(it *report.Iteration) any { return it.Pruned() }))
}
