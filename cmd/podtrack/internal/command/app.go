package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/compare"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/inspect"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/run"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/run/sweep"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/share"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/show"
	_ "github.com/podtrack/podtrack/cmd/podtrack/internal/command/store"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

const description = `Every POD run is recorded in one file, and every record can be proved.

A RUN is the beginning of its ID or head, its name, or @N, the N-th newest. Where
several runs make sense a filter does too: seed=0-29 reading=as-published tag=x.`

// Execute runs the program with the arguments and returns its exit code.
func Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	messages := &cmdline.Output{Raw: stderr}
	defer messages.Flush()
	return cmdline.Fail(messages, executeLine(ctx, args, stdout, messages))
}

// executeLine executes a command line, which answers on stdout, and returns the error with which it ends. It is the
// [cmdline.Executor] of the program.
func executeLine(ctx context.Context, args []string, stdout, messages io.Writer) error {
	out := &cmdline.Output{Raw: stdout}
	app := NewApp(out, messages)
	args, err := cmdline.ReorderArgs(app, args)
	if err == nil {
		_, err = cmdline.WaitTime()
	}
	if err == nil {
		app.Metadata[cmdline.ArgsKey] = args
		err = runApp(ctx, app, args)
	}
	return cmdline.Outcome(err, out.Flush())
}

// runApp runs the command. A panic in an environment that another program registered becomes its error.
func runApp(ctx context.Context, app *cli.App, args []string) (err error) {
	defer envs.CatchEnvPanic(&err)
	return app.RunContext(ctx, args)
}

// NewApp returns the application with all commands, which print to stdout and stderr.
func NewApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:            "podtrack",
		Usage:           "option discovery whose records are proofs",
		Description:     description,
		Writer:          stdout,
		ErrWriter:       stderr,
		HideVersion:     true,
		HideHelpCommand: true, // replaced by podtrack's help, which also has topics
		Flags: []cli.Flag{cli.HelpFlag, cmdline.JsonFlag(), &cli.BoolFlag{Name: "version",
			Usage: "print the versions of the program, its store format and its numerics"},
			&cli.BoolFlag{Name: "licenses", Usage: "print the licenses of all that the program is built of"}},
		CustomAppHelpTemplate:     appHelp,
		ExitErrHandler:            func(*cli.Context, error) {}, // cmdline.Fail returns the exit code
		OnUsageError:              usageError,
		Action:                    noCommand,
		DisableSliceFlagSeparator: true,
		Metadata: map[string]any{
			cmdline.WarnedKey:  new(sync.Map),
			cmdline.ExecuteKey: cmdline.Executor(executeLine),
		},
	}
	app.Commands = cmdline.MakeCommands(func(d cmdline.Command, c *cli.Command) {
		c.OnUsageError = usageError
		c.HideHelpCommand = true
		c.CustomHelpTemplate = commandHelp(d, c)
	})
	app.Metadata[listingKey] = func() string { return programHelp(app) }
	return app
}

// usageError returns err with a hint at the right flag. Without it, the library would print a
// whole help page.
func usageError(c *cli.Context, err error, _ bool) error {
	hint := cmdline.NameOf(c) + " --help lists the flags"
	if name, found := strings.CutPrefix(err.Error(), "flag needs an argument: "); found && c.Command != nil {
		name = strings.TrimLeft(name, "-")
		return schema.Hint(fmt.Errorf("--%s needs a value", name), "%s%s", usageOfFlag(c.Command.Flags, name), hint)
	}
	if m := unreadableValue().FindStringSubmatch(err.Error()); m != nil && c.Command != nil {
		wanted, example := cmdline.ValueOf(c.Command.Flags, m[2])
		return schema.Hint(fmt.Errorf("--%s %s is not %s", m[2], m[1], wanted), "give one such as %s; %s", example, hint)
	}
	if name, found := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); found {
		return unknownFlag(c, strings.TrimLeft(name, "-"), hint)
	}
	return schema.Hint(err, "%s", hint)
}

// unknownFlag returns the error for a flag that the command does not have.
func unknownFlag(c *cli.Context, name, hint string) error {
	var names []string
	if c.Command != nil {
		for _, f := range c.Command.Flags {
			names = append(names, f.Names()...)
		}
	}
	if near := textfmt.Suggest(name, names); near != "" {
		hint = "did you mean --" + near + "? " + hint
	}
	isField := slices.ContainsFunc(runner.SpecFields(), func(f runner.SpecField) bool { return f.Name == name })
	if isField && slices.Contains(names, "set") {
		hint = "write --set " + name + "=VALUE"
	}
	if name == "map" && slices.Contains(names, "env") {
		hint = "write --env grid:NAME for a map of podtrack's, such as grid:nine-rooms, or grid:FILE"
	}
	dashes := "--"
	if utf8.RuneCountInString(name) == 1 {
		dashes = "-"
	}
	return schema.Hint(fmt.Errorf("unknown flag %s%s", dashes, name), "%s", hint)
}

// unreadableValue matches the library's error for a value of a flag that is not of its type.
var unreadableValue = textfmt.Pattern(
	`^invalid (?:boolean )?value (".*") for (?:flag )?-([a-z_-]+): (?:parse error|value out of range)$`)

// usageOfFlag returns a flag with its line of help and a semicolon, "" if no flag has that name.
func usageOfFlag(flags []cli.Flag, name string) string {
	for _, f := range flags {
		documented, ok := f.(cli.DocGenerationFlag)
		if !ok || !slices.Contains(f.Names(), name) {
			continue
		}
		usage, value := documented.GetUsage(), "VALUE"
		if parts := strings.Split(usage, "`"); len(parts) == 3 {
			usage, value = strings.Join(parts, ""), parts[1]
		}
		if name == "best" {
			usage += ": " + strings.Join(report.MeasureNames(), ", ")
		}
		return fmt.Sprintf("--%s %s: %s; ", name, value, usage)
	}
	return ""
}

func noCommand(c *cli.Context) error {
	switch {
	case c.NArg() > 0:
		return cmdline.UnknownCommand(c.App.Commands, c.Args().First())
	case c.Bool("version"):
		return printVersions(c)
	case c.Bool("licenses"):
		return cmdline.Answer{JSON: licenses{help.Licenses}, Text: func(w table.Text) {
			fmt.Fprint(w, help.Licenses)
		}}.Print(c)
	}
	return cli.ShowAppHelp(c)
}

// licenses is the output of --licenses.
type licenses struct {
	Licenses string `json:"licenses"`
}

// printVersions prints the versions of the program, its store format and its numerics.
func printVersions(c *cli.Context) error {
	v := replay.CurrentVersions()
	changes := ""
	if v.Dirty {
		changes = " with changes"
	}
	return cmdline.Answer{JSON: v, Text: func(w table.Text) {
		fmt.Fprintf(w, "podtrack %s\nstore format %d, numerics %d\n%s %s/%s %s\nrevision %s%s\n",
			v.Version, v.Format, v.Numerics, v.Go, v.OS, v.Arch, v.Level,
			cmp.Or(v.Revision, "unknown"), changes)
	}}.Print(c)
}
