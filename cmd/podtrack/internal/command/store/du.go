package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/urfave/cli/v2"
)

// du is the command du, with its flags.
type du struct{ by, sort string }

var _ = cmdline.Register(cmdline.Command{
	Name: "du", Group: cmdline.GroupCare, Place: 1,
	Example: "podtrack du bits=7 --by kind",
	JSON:    []any{usageReport{}},
	Usage:   "show what takes space: bytes of records by run, tag or kind",
	Args:    "[RUN… | FILTER]",
	Description: `Runs share records: a fork those of its parent, and runs of one seed what they have in
common. STORED counts all records that a run names, EXCLUSIVE those that no other run
names, which is what removing the run frees, and SHARED the others. So the rows add up
to more than the total, which counts each record once. By tag, exclusive is what no run
without the tag names; by kind, what one run alone names. Sizes are bytes, compressed.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		d := du{by: report.UsageGroups[0], sort: "-stored"}
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Flag(&d.by, "by", "one row for each `WHAT`: "+strings.Join(report.UsageGroups, ", ")),
			cmdline.Flag(&d.sort, "sort", "order by `KEYS`, downwards with a minus before one: "+
				strings.Join(report.UsageKeys(), ", ")),
		}, cmdline.Answering(d.measure)
	},
})

// usageReport is the output of du.
type usageReport struct {
	Path string `json:"path"`
	report.Usage
}

func (d *du) measure(c *cli.Context) (a cmdline.Answer, err error) {
	if !slices.Contains(report.UsageGroups, d.by) {
		return a, schema.Hint(fmt.Errorf("--by: invalid value %q", d.by), "%s",
			textfmt.DidYouMean(d.by, "groups", report.UsageGroups))
	}
	if err := (report.Usage{}).Sort(d.sort); err != nil {
		return a, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "runs")
	u, err := report.MeasureUsage(c.Context, cmdline.OpenStore(c), c.Args().Slice(), d.by, bar.Count)
	bar.Stop()
	if errors.Is(err, context.Canceled) {
		return a, schema.Hint(replay.ErrInterrupted, "du changes nothing; name fewer runs, or rerun the command")
	}
	if err == nil {
		err = u.Sort(d.sort)
	}
	return cmdline.Answer{
		JSON: usageReport{Path: cmdline.StorePath(c), Usage: u},
		Text: func(w table.Text) {
			printUsage(w, cmdline.StorePath(c), u, c.NArg() > 0)
			w.Table(newUsageTable(u))
		},
		Tables: func() table.List { return table.List{newUsageTable(u)} },
	}, err
}

// printUsage prints the sums.
func printUsage(w table.Text, path string, u report.Usage, selected bool) {
	if selected {
		w.Line("%s: %s of %d bytes, %d of them in no other run", cmdline.Plural(u.Runs, "run"),
			cmdline.Plural(u.Total.Records, "record"), u.Total.Stored, u.Total.Exclusive)
	}
	w.Line("%s: %d bytes, %d of them in %s", path, u.File, u.Store.Stored,
		cmdline.Plural(u.Store.Records, "record"))
	if u.Removed.Records > 0 {
		w.Line("%d bytes in %s are of removed runs alone, until podtrack compact", u.Removed.Stored,
			cmdline.Plural(u.Removed.Records, "record"))
	}
	unused := ""
	if u.Free > 0 {
		unused = "; podtrack compact returns what is unused"
	}
	w.Wrapped("%d bytes are rows and indexes, %d are unused%s\n", u.Other, u.Free, unused)
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
