package store

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/backup"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "compact", Group: cmdline.GroupCare, Place: 5,
	Example: "podtrack compact",
	JSON:    []any{compactReport{}},
	Usage:   "give back the space of what was removed",
	Description: `Copies what is in use into a new file, which then replaces the old one
atomically. It refuses to start while a process works on a run.
Meanwhile other processes can read the store; those that write wait, with a message, and
continue in the new file.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag()}, cmdline.Interruptible(cmdline.Answering(compact),
			"the store is as it was", "rerun the command to start again")
	},
})

type compactReport struct {
	Store string `json:"store"`
	backup.CompactReport
}

func compact(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--store says which file: podtrack compact --store FILE"); err != nil {
		return a, err
	}
	r := compactReport{Store: cmdline.StorePath(c)}
	bar := cmdline.StartBar(c.App.ErrWriter, "copied")
	show := func(done, total int64) { bar.Show(done, total, "") }
	r.CompactReport, err = backup.Compact(c.Context, cmdline.OpenStore(c), show)
	bar.Stop()
	cmdline.PrintLeftovers(c.App.ErrWriter, r.Leftovers)
	return cmdline.Answer{JSON: r, Text: r.print}, err
}

func (r compactReport) print(w table.Text) {
	w.Line("%s: %d bytes before, %d after; %s of %d bytes in it", r.Store, r.Before, r.After,
		textfmt.CountOf(r.Records, "record"), r.Stored)
	if r.Unused > 0 {
		w.Line("dropped %s that no run named", textfmt.CountOf(r.Unused, "record"))
	}
}
