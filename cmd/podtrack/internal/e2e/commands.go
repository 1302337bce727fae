package e2e

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/urfave/cli/v2"
)

// Commands returns all commands except those that only group others, by their full names, such as "run check".
func Commands() map[string]*cli.Command {
	commands := map[string]*cli.Command{}
	addCommands(commands, "", command.NewApp(io.Discard, io.Discard).Commands)
	return commands
}

// addCommands adds the commands in list, whose full names begin with path, and their subcommands.
func addCommands(commands map[string]*cli.Command, path string, list []*cli.Command) {
	for _, c := range list {
		if c.Action != nil && c.Name != "help" {
			commands[path+c.Name] = c
		}
		addCommands(commands, path+c.Name+" ", c.Subcommands)
	}
}

// CommandNames returns the names of [Commands], in alphabetical order.
func CommandNames() []string { return slices.Sorted(maps.Keys(Commands())) }

// MissingExamples returns a call of each command that none of the calls is of: the example in the command's help, with
// the runs of a test in place of its runs. In calls that draw a figure, plotFlags replace the name of the file.
func MissingExamples(calls []string, run, other, plotFlags string) (missing []string) {
	runs := strings.NewReplacer("ring0", run, "ring1", other, "rooms", run, "bits=7", "seed=0-9", "'", "")
	for _, d := range cmdline.Commands() {
		if d.Name == "help" ||
			slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", d.Name+" ") }) {
			continue
		}
		call := runs.Replace(strings.TrimPrefix(d.Example, "podtrack "))
		if strings.HasPrefix(d.Name, "plot ") {
			call, _, _ = strings.Cut(call, " -o ")
			call += plotFlags
		}
		missing = append(missing, call)
	}
	return missing
}

// CheckMessage checks the form of an error message: its last line but one must say what failed, and its last line how
// to mend it. It returns what is wrong, or "".
func CheckMessage(stderr string) string {
	lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
	switch n := len(lines); {
	case strings.Contains(stderr, "goroutine "), strings.Contains(stderr, "panic:"):
		return "a stack trace"
	case n < 2, !strings.HasPrefix(lines[n-2], "podtrack: "), !strings.HasPrefix(lines[n-1], "  "):
		return "stderr does not end in what failed and a remedy"
	case n > 12:
		return fmt.Sprintf("the error takes %d lines", n)
	}
	return ""
}
