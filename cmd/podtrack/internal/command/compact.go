package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
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
		Flags:  []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag()},
		Action: compact,
	}
}

// compactReport is the output of compact.
type compactReport struct {
	Store string `json:"store"`
	tracker.CompactReport
}

func compact(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("compact takes no argument %q", c.Args().First()),
			"--store says which file: podtrack compact --store FILE")
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "copied")
	done, err := cmdline.OpenStore(c).Compact(c.Context, func(done, total int64) { bar.Show(done, total, "") })
	bar.Stop()
	cmdline.PrintLeftovers(c.App.ErrWriter, done.Leftovers)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; the store is as it was", replay.ErrInterrupted),
			"rerun the command to start again")
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, compactReport{Store: cmdline.StorePath(c), CompactReport: done})
	}
	cmdline.PrintLine(c.App.Writer, "%s: %d bytes before, %d after; %s of %d bytes in it",
		cmdline.StorePath(c), done.Before, done.After, cmdline.Plural(done.Records, "record"), done.Stored)
	if done.Unused > 0 {
		fmt.Fprintf(c.App.Writer, "%s that no run named left behind\n", cmdline.Plural(done.Unused, "record"))
	}
	return nil
}
