package share

import (
	"errors"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/backup"

	"github.com/urfave/cli/v2"
)

type backingUp struct{ force bool }

var _ = cmdline.Register(cmdline.Command{
	Name: "backup", Group: cmdline.GroupShare, Place: 3,
	Example: "podtrack backup copy.db",
	JSON:    []any{backupReport{}},
	Usage:   "copy the store to a file, while runs continue, and verify the copy",
	Args:    "FILE",
	Description: `FILE is a store as well: everything that was committed at one moment, with the
checkpoints of unfinished runs. Other processes can use the store meanwhile. Every record
of the copy is read and verified before FILE gets its name, so FILE is whole or does not
exist. If the backup is interrupted or killed, rerun the command to continue it.

To restore a backup, stop all processes that use the store, and then:

   mv podtrack.db podtrack.db.old
   cp FILE podtrack.db
   podtrack check --read-data
   podtrack resume

Unfinished runs continue from their checkpoints in the backup.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var b backingUp
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&b.force, "force", "replace FILE if it exists"),
		}, cmdline.Answering(b.copy)
	},
})

type backupReport struct {
	Store string `json:"store"`
	backup.Report
}

func (b *backingUp) copy(c *cli.Context) (a cmdline.Answer, err error) {
	if c.NArg() != 1 {
		return a, schema.Hint(errors.New("backup takes one FILE"),
			"podtrack backup FILE --store STORE copies STORE to FILE")
	}
	file := c.Args().First()
	bar := cmdline.StartBar(c.App.ErrWriter, "copied, then verified")
	done, err := backup.Run(c.Context, cmdline.OpenStore(c), file, backup.Options{
		Force:          b.force,
		Progress:       func(done, total int64) { bar.Show(done, total, " (copying)") },
		VerifyProgress: func(done, total int) { bar.Show(int64(done), int64(total), " (verifying the copy)") },
	})
	bar.Stop()
	again := "podtrack backup " + textfmt.ShellPath(file) + " --store " + textfmt.ShellPath(cmdline.StorePath(c))
	if b.force {
		again += " --force"
	}
	return cmdline.Answer{
		JSON: backupReport{Store: cmdline.StorePath(c), Report: done},
		Text: func(w table.Text) {
			w.Line("%s: %s, %s of %d bytes, each read and verified; %d bytes", file, textfmt.CountOf(done.Runs, "run"),
				textfmt.CountOf(done.Records, "record"), done.Stored, done.Bytes)
		},
	}, cmdline.Interrupted(err, "what was copied stays for the next attempt", "to continue: "+again)
}
