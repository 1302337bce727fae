package main

import (
	"context"
	"io"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/schema"
)

const description = `Every POD run is recorded in one file, and every record can be proved.

A RUN is the beginning of its ID, its name, or @N, the N-th newest. Where several
runs make sense a filter does too: seed=0-29 reading=as-published tag=x.`

// execute is the whole program, from arguments to exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, messages := &output{raw: stdout}, &output{raw: stderr}
	app := newApp(out, messages)
	args, err := arrange(app, args)
	if err == nil {
		_, err = waitTime()
	}
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	defer messages.flush()
	return fail(messages, outcome(err, out.flush()))
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "podtrack",
		Usage:                     "option discovery whose records are proofs",
		Description:               description,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideVersion:               true,
		CustomAppHelpTemplate:     cli.AppHelpTemplate + exitHelp,
		ExitErrHandler:            func(*cli.Context, error) {}, // fail alone decides
		OnUsageError:              usageError,
		CommandNotFound:           nil,
		Action:                    noCommand,
		DisableSliceFlagSeparator: true,
		Metadata:                  map[string]any{warnedKey: new(sync.Map)},
		Commands: []*cli.Command{
			runCommand(), resumeCommand(), lsCommand(), showCommand(), optionsCommand(),
			replayCommand(), diffCommand(), compareCommand(), whyCommand(), forkCommand(),
			tagCommand(), noteCommand(), rmCommand(), checkCommand(), pruneCommand(), compactCommand(), backupCommand(), exportCommand(), importCommand(), mergeCommand(), repairCommand(),
			plotCommand(), evaluateCommand(), envCommand(), reproduceCommand(), serveCommand(), sweepCommand(), versionCommand(),
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
	c.CustomHelpTemplate = cli.CommandHelpTemplate + exitHelp
	if len(c.Subcommands) > 0 {
		c.CustomHelpTemplate = cli.SubcommandHelpTemplate + exitHelp
	}
	for _, sub := range c.Subcommands {
		prepare(sub)
	}
}

// usageError keeps the library from printing a page of help for one wrong flag.
func usageError(c *cli.Context, err error, _ bool) error {
	return schema.Hint(err, "%s --help lists the flags", nameOf(c))
}

func noCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	return unknownCommand(c.App, c.Args().First())
}
