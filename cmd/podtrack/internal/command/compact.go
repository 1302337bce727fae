package command

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

func compactCommand() *cli.Command {
	return &cli.Command{
		Name:  "compact",
		Usage: "give back the space of what was removed or pruned",
		Description: `Copies what is in use into a new file, which takes the place of the old one at
once and whole. Others may use the store meanwhile: runs go on and commit. They wait only at the
end, for the moment in which their last commits are copied, and go on in the new file.`,
		Flags: []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag()},
		Action: cmdline.Interruptible(cmdline.Answering(compact), "the store is as it was",
			"rerun the command to start again"),
	}
}

// compactReport is the output of compact.
type compactReport struct {
	Store string `json:"store"`
	tracker.CompactReport
}

func compact(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--store says which file: podtrack compact --store FILE"); err != nil {
		return a, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "copied")
	done, err := cmdline.OpenStore(c).Compact(c.Context, func(done, total int64) { bar.Show(done, total, "") })
	bar.Stop()
	cmdline.PrintLeftovers(c.App.ErrWriter, done.Leftovers)
	return cmdline.Answer{
		JSON: compactReport{Store: cmdline.StorePath(c), CompactReport: done},
		Text: func(w table.Text) {
			w.Line("%s: %d bytes before, %d after; %s of %d bytes in it", cmdline.StorePath(c), done.Before, done.After,
				cmdline.Plural(done.Records, "record"), done.Stored)
			if done.Unused > 0 {
				w.Line("%s that no run named left behind", cmdline.Plural(done.Unused, "record"))
			}
		},
	}, err
}
