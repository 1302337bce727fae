package compare

import (
	"errors"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// ShowGroup implements show --group.
func ShowGroup(c *cli.Context) error {
	format, measures, err := groupFlags(c)
	if err != nil {
		return err
	}
	if c.Bool("spec") {
		return schema.Hint(errors.New("--spec is of one run, --group of many"), "leave one of them out")
	}
	if c.Bool("exploration") {
		return schema.Hint(errors.New("--exploration is of one run, --group of many"),
			"--measure exploration takes the same measures of a group")
	}
	if c.NArg() == 0 {
		return schema.Hint(errors.New("show --group takes runs"), "podtrack show --group seed=0-29 reading=as-written")
	}
	if err := checkBy(c); err != nil {
		return err
	}
	if c.IsSet("by") {
		return showGroups(c, format, measures)
	}
	var g group.Group
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		g, err = group.Select(c.Context, tx, measures, c.Args().Slice()...)
		return err
	})
	if err != nil {
		return err
	}
	s := group.Summarise(g, measures)
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, s)
	case format != table.Formats[0]:
		cmdline.PrintNotes(c.App.ErrWriter, lackNotes("", s.Lacks))
		return summaryGrid(s, format).Print(c.App.Writer, format)
	}
	return printSummary(c.App.Writer, s)
}
