package compare

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
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
		Action: compare,
	}
}

func compare(c *cli.Context) error {
	format, measures, err := groupFlags(c)
	if err != nil {
		return err
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
		return err
	}
	text := c.String("iteration")
	if !c.IsSet("iteration") {
		if text = "all"; len(read) > 2 && format != "csv" {
			text = "last"
		}
	}
	shown, err := parseIterations(text, group.LastShared(read), group.Reach(read))
	if err != nil {
		return err
	}
	compared, err := groups.compare(c.Context, read)
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, compared.document())
	case format != table.Formats[0]:
		cmdline.PrintNotes(c.App.ErrWriter, compared.Notes())
		return compared.grid(format, shown).Print(c.App.Writer, format)
	case compared.Several != nil:
		return printContrasts(c.App.Writer, *compared.Several, shown)
	}
	return printComparison(c.App.Writer, *compared.Two, shown)
}
