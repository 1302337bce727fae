package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

func duCommand() *cli.Command {
	return &cli.Command{
		Name:      "du",
		Usage:     "show what takes space: bytes of records by run, tag or kind",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `Runs share records: a fork those of its parent, and runs of one seed what they have in
common. STORED counts all records that a run names, EXCLUSIVE those that no other run
names, which is what removing the run frees, and SHARED the others. So the rows add up
to more than the total, which counts each record once. By tag, exclusive is what no run
without the tag names; by kind, what one run alone names. Sizes are bytes, compressed.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			&cli.StringFlag{Name: "by", Value: report.UsageGroups[0],
				Usage: "one row for each `WHAT`: " + strings.Join(report.UsageGroups, ", ")},
			&cli.StringFlag{Name: "sort", Value: "-stored", Usage: "order by `KEYS`, downwards with a minus before one: " +
				strings.Join(report.UsageKeys(), ", ")},
		},
		Action: showUsage,
	}
}

// usageReport is the output of du.
type usageReport struct {
	Path string `json:"path"`
	report.Usage
}

func showUsage(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	by := c.String("by")
	if !slices.Contains(report.UsageGroups, by) {
		return schema.Hint(fmt.Errorf("--by %q", by), "%s", textform.DidYouMean(by, "groups", report.UsageGroups))
	}
	if err := (report.Usage{}).Sort(c.String("sort")); err != nil {
		return err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "runs")
	u, err := report.MeasureUsage(c.Context, cmdline.OpenStore(c), c.Args().Slice(), by, bar.Count)
	bar.Stop()
	if errors.Is(err, context.Canceled) {
		return schema.Hint(replay.ErrInterrupted, "du changes nothing; name fewer runs, or rerun the command")
	}
	if err != nil {
		return err
	}
	if err := u.Sort(c.String("sort")); err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, usageReport{Path: cmdline.StorePath(c), Usage: u})
	case format == table.Formats[0]:
		printUsage(c.App.Writer, cmdline.StorePath(c), u, c.NArg() > 0)
	}
	return newUsageTable(u).Print(c.App.Writer, format)
}

// printUsage prints the sums.
func printUsage(w io.Writer, path string, u report.Usage, selected bool) {
	if selected {
		cmdline.PrintLine(w, "%s: %s of %d bytes, %d of them in no other run", cmdline.Plural(u.Runs, "run"),
			cmdline.Plural(u.Total.Records, "record"), u.Total.Stored, u.Total.Exclusive)
	}
	cmdline.PrintLine(w, "%s: %d bytes, %d of them in %s", path, u.File, u.Store.Stored,
		cmdline.Plural(u.Store.Records, "record"))
	if u.Removed.Records > 0 {
		cmdline.PrintLine(w, "%d bytes in %s are of removed runs alone, until podtrack compact", u.Removed.Stored,
			cmdline.Plural(u.Removed.Records, "record"))
	}
	unused := ""
	if u.Free > 0 {
		unused = "; podtrack compact returns what is unused"
	}
	table.PrintWrapped(w, "%d bytes are rows and indexes, %d are unused%s\n", u.Other, u.Free, unused)
}

func newUsageTable(u report.Usage) *table.Table {
	g, short := table.New(), map[string]string{}
	switch u.By {
	case "run":
		shorten := func(cell string) string { return short[cell] }
		g.Columns = append(g.Columns, table.Column{Title: "run", Shown: shorten}, table.Left("name"))
	case "tag":
		g.Columns = append(g.Columns, table.Left("tag"), table.Right("runs").Optional(2))
	default:
		g.Columns = append(g.Columns, table.Left("kind"))
	}
	g.Columns = append(g.Columns, table.Right("records").Optional(3), table.Right("pruned").Optional(1),
		table.Right("stored"), table.Right("exclusive"), table.Right("shared").Optional(4))
	for _, p := range u.Parts {
		row := []string{p.Name}
		switch u.By {
		case "run":
			short[p.Run.String()] = p.Short
			row = []string{p.Run.String(), p.Name}
		case "tag":
			row = []string{cmp.Or(p.Name, "(no tag)"), fmt.Sprint(p.Runs)}
		}
		g.Add(append(row, fmt.Sprint(p.Records), fmt.Sprint(p.Pruned), fmt.Sprint(p.Stored), fmt.Sprint(p.Exclusive),
			fmt.Sprint(p.Shared))...)
	}
	return g
}
