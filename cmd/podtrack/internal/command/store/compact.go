package store

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "compact", Group: cmdline.GroupCare, Place: 5,
	Example: "podtrack compact",
	Usage:   "give back the space of what was removed or pruned",
	Description: `Copies what is in use into a new file, which then replaces the old one
atomically. It refuses to start while a process works on a run, unless --wait is given.
Meanwhile other processes can read the store; those that write wait, with a message, and
continue in the new file.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var e exchange
		return []cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), e.flag()},
			cmdline.Interruptible(cmdline.Answering(e.compact), "the store is as it was",
				"rerun the command to start again")
	},
})

// compactReport is the output of compact.
type compactReport struct {
	Store string `json:"store"`
	backup.CompactReport
}

func (e *exchange) compact(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--store says which file: podtrack compact --store FILE"); err != nil {
		return a, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "copied")
	done, err := backup.Compact(c.Context, cmdline.OpenStore(c), backup.CompactOptions{
		Progress: func(done, total int64) { bar.Show(done, total, "") }, Held: e.held(c),
	})
	bar.Stop()
	cmdline.PrintLeftovers(c.App.ErrWriter, done.Leftovers)
	return cmdline.Answer{
		JSON: compactReport{Store: cmdline.StorePath(c), CompactReport: done},
		Text: func(w table.Text) {
			w.Line("%s: %d bytes before, %d after; %s of %d bytes in it", cmdline.StorePath(c), done.Before, done.After,
				cmdline.Plural(done.Records, "record"), done.Stored)
			if done.Unused > 0 {
				w.Line("dropped %s that no run named", cmdline.Plural(done.Unused, "record"))
			}
		},
	}, e.advise(err)
}

// exchange is the flag --wait of compact and repair, which replace the store's file while no process works on a run.
type exchange struct{ wait bool }

func (e *exchange) flag() cli.Flag {
	return cmdline.Flag(&e.wait, "wait", "wait until no process works on a run, instead of refusing")
}

// held returns the function that prints which run and process the command waits for; nil without --wait.
func (e *exchange) held(c *cli.Context) func(error) {
	if !e.wait {
		return nil
	}
	var told schema.Digest
	return func(err error) {
		if held := (*tracker.HeldError)(nil); errors.As(err, &held) && held.Run != told {
			told = held.Run
			fmt.Fprintf(c.App.ErrWriter, "waiting: %v\n", held)
		}
	}
}

// advise adds --wait to the remedy of an error about a run that another process works on.
func (e *exchange) advise(err error) error {
	if held := (*tracker.HeldError)(nil); errors.As(err, &held) {
		return schema.Hint(err, "%s; --wait waits for all of them", schema.Remedy(err))
	}
	return err
}
