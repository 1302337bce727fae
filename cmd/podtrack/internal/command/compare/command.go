package compare

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// Command returns the command podtrack compare.
func Command() *cli.Command {
	return &cli.Command{
		Name:        "compare",
		Usage:       "compare the measures of two or more groups of runs",
		ArgsUsage:   "FILTER_A FILTER_B… | FILTER --by LIST",
		Description: compareDescription,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), MeasureFlag(),
			PairedFlag(), ByFlag(), BaselineFlag(), IterationFlag("all of two groups, the last of more"),
		},
		Action: cmdline.Answering(compare),
	}
}

func compare(c *cli.Context) (a cmdline.Answer, err error) {
	measures, err := group.ParseMeasures(c.String("measure"))
	if err != nil {
		return a, err
	}
	groups := Groups{Command: cmdline.NameOf(c), Filters: c.Args().Slice(), Measures: measures}
	given := map[string]**string{"paired": &groups.Paired, "by": &groups.By, "baseline": &groups.Baseline}
	for name, value := range given {
		if text := c.String(name); c.IsSet(name) {
			*value = &text
		}
	}
	read, err := groups.read(c.Context, cmdline.OpenStore(c))
	if err != nil {
		return a, err
	}
	text, format := c.String("iteration"), c.String("format")
	if !c.IsSet("iteration") {
		if text = "all"; len(read) > 2 && format != "csv" {
			text = "last"
		}
	}
	shown, err := parseIterations(text, group.LastShared(read), group.Reach(read))
	if err != nil {
		return a, err
	}
	compared, err := groups.compare(c.Context, read)
	if err != nil {
		return a, err
	}
	return cmdline.Answer{
		JSON: compared.document(),
		Text: func(w table.Text) {
			if compared.Several != nil {
				printContrasts(w, *compared.Several, shown)
			} else {
				printComparison(w, *compared.Two, shown)
			}
		},
		Tables: func() table.List {
			cmdline.PrintNotes(c.App.ErrWriter, compared.Notes())
			return table.List{compared.grid(format, shown)}
		},
	}, nil
}

// ShowGroup implements show --group.
func ShowGroup(c *cli.Context) (a cmdline.Answer, err error) {
	measures, err := group.ParseMeasures(c.String("measure"))
	if err != nil {
		return a, err
	}
	switch {
	case c.Bool("spec"):
		return a, schema.Hint(errors.New("--spec is of one run, --group of many"), "leave one of them out")
	case c.Bool("exploration"):
		return a, schema.Hint(errors.New("--exploration is of one run, --group of many"),
			"--measure exploration takes the same measures of a group")
	case c.NArg() == 0:
		return a, schema.Hint(errors.New("show --group takes runs"), "podtrack show --group seed=0-29 reading=as-written")
	case c.IsSet("by"):
		return showGroups(c, measures)
	case c.IsSet("iteration"):
		return a, schema.Hint(errors.New("--iteration without --by"),
			"a single group has a row for each iteration; leave --iteration out")
	}
	var g group.Group
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		g, err = group.Select(c.Context, tx, measures, c.Args().Slice()...)
		return err
	})
	if err != nil {
		return a, err
	}
	s := group.Summarise(g, measures)
	return cmdline.Answer{
		JSON: s,
		Text: func(w table.Text) { printSummary(w, s) },
		Tables: func() table.List {
			cmdline.PrintNotes(c.App.ErrWriter, lackNotes("", s.Lacks))
			return table.List{summaryGrid(s, c.String("format"))}
		},
	}, nil
}

// IterationFlag returns the flag --iteration, with what it is if it is not given.
func IterationFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{Name: "iteration", Usage: "show iteration `K`, last or all", DefaultText: otherwise}
}

// iterations are those that a table shows: one, or all of them.
type iterations struct {
	all bool
	k   int
}

// shows reports whether a table has rows of iteration k.
func (i iterations) shows(k int) bool { return i.all || i.k == k }

// parseIterations parses the value of --iteration. last is the last iteration of the runs, reach how many
// iterations some run has.
func parseIterations(text string, last, reach int) (iterations, error) {
	switch text {
	case "all":
		return iterations{all: true}, nil
	case "last":
		return iterations{k: last}, nil
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= reach {
		return iterations{}, schema.Hint(fmt.Errorf("--iteration %q", text),
			"give a number from 0 to %d, last, or all", reach-1)
	}
	return iterations{k: k}, nil
}
