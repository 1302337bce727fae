package command

import (
	"context"
	"io"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/compare"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diff"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/plot"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

const description = `Every POD run is recorded in one file, and every record can be proved.

A RUN is the beginning of its ID, its name, or @N, the N-th newest. Where several
runs make sense a filter does too: seed=0-29 reading=as-published tag=x.`

// Execute is the whole program, from arguments to exit code.
func Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, messages := &cmdline.Output{Raw: stdout}, &cmdline.Output{Raw: stderr}
	app := NewApp(out, messages)
	args, err := cmdline.ReorderArgs(app, args)
	if err == nil {
		_, err = cmdline.WaitTime()
	}
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	defer messages.Flush()
	return cmdline.Fail(messages, cmdline.Outcome(err, out.Flush()))
}

func NewApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "podtrack",
		Usage:                     "option discovery whose records are proofs",
		Description:               description,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideVersion:               true,
		CustomAppHelpTemplate:     cli.AppHelpTemplate + cmdline.ExitHelp,
		ExitErrHandler:            func(*cli.Context, error) {}, // fail alone decides
		OnUsageError:              usageError,
		CommandNotFound:           nil,
		Action:                    noCommand,
		DisableSliceFlagSeparator: true,
		Metadata:                  map[string]any{cmdline.WarnedKey: new(sync.Map)},
		Commands: []*cli.Command{
			runCommand(), resumeCommand(), lsCommand(), showCommand(), optionsCommand(),
			replayCommand(), diff.Command(), compare.Command(), whyCommand(), forkCommand(),
			tagCommand(), noteCommand(), rmCommand(), checkCommand(), pruneCommand(), compactCommand(), backupCommand(), exportCommand(), importCommand(), mergeCommand(), repairCommand(),
			plot.Command(), evaluateCommand(), envCommand(), reproduceCommand(), serveCommand(), sweep.Command(), versionCommand(),
		},
	}
	for _, c := range app.Commands {
		prepare(c)
	}
	return app
}

// prepare gives a command and its subcommands what all of them share.
func prepare(c *cli.Command) {
	c.OnUsageError = usageError
	c.CustomHelpTemplate = cli.CommandHelpTemplate + cmdline.ExitHelp
	if len(c.Subcommands) > 0 {
		c.CustomHelpTemplate = cli.SubcommandHelpTemplate + cmdline.ExitHelp
	}
	for _, sub := range c.Subcommands {
		prepare(sub)
	}
}

// usageError keeps the library from printing a page of help for one wrong flag.
func usageError(c *cli.Context, err error, _ bool) error {
	return schema.Hint(err, "%s --help lists the flags", cmdline.NameOf(c))
}

func noCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	return cmdline.UnknownCommand(c.App, c.Args().First())
}
