package groupview

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

// Show implements show --group.
func (s *Selection) Show(c *cli.Context) (a cmdline.Answer, err error) {
	measures, err := group.ParseMeasures(s.measure)
	if err != nil {
		return a, err
	}
	switch {
	case c.NArg() == 0:
		return a, schema.Hint(errors.New("show --group needs runs"), "podtrack show --group seed=0-29 reading=as-written")
	case s.by != nil:
		return s.showGroups(c, measures)
	case s.iteration != nil:
		return a, schema.Hint(errors.New("--iteration without --by"),
			"a single group has a row for each iteration; leave --iteration out")
	}
	g, err := group.Select(c.Context, cmdline.OpenStore(c), measures, c.Args().Slice()...)
	if err != nil {
		return a, err
	}
	summary := group.Summarise(g, measures)
	return cmdline.Answer{
		JSON: summary,
		Text: func(w table.Text) { printSummary(w, summary) },
		Tables: func() table.List {
			cmdline.PrintNotes(c.App.ErrWriter, MissingNotes([]group.Group{summary.Group}))
			return table.List{summaryGrid(summary, table.WantsCSV(c))}
		},
	}, nil
}

// Selection holds the flags of groups: their measures, what makes groups, and the iterations that are shown.
type Selection struct {
	measure       string
	by, iteration *string
}

// NewSelection returns the selection without flags.
func NewSelection() Selection { return Selection{measure: DefaultMeasures()} }

// Flags returns the flags --measure, --by and --iteration; otherwise is the default of --iteration.
func (s *Selection) Flags(otherwise string) []cli.Flag {
	return []cli.Flag{
		MeasureFlag(&s.measure), ByFlag(&s.by),
		cmdline.Optional(&s.iteration, "iteration", "show iteration `K`, last or all", otherwise),
	}
}

// iterations are the iterations that a table shows: one or all.
type iterations struct {
	all bool
	k   int
}

// shows reports whether a table has rows of iteration k.
func (i iterations) shows(k int) bool { return i.all || i.k == k }

// iterations parses --iteration, or usual if the flag is not given. last is the last iteration that all runs have,
// reach the largest number of iterations of a run.
func (s *Selection) iterations(usual string, last, reach int) (iterations, error) {
	if s.iteration != nil {
		usual = *s.iteration
	}
	return parseIterations(usual, last, reach)
}

func parseIterations(text string, last, reach int) (iterations, error) {
	switch text {
	case "all":
		return iterations{all: true}, nil
	case "last":
		return iterations{k: last}, nil
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= reach {
		return iterations{}, schema.Hint(fmt.Errorf("--iteration: invalid value %q", text),
			"give a number from 0 to %d, last, or all", reach-1)
	}
	return iterations{k: k}, nil
}
