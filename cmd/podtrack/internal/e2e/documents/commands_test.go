package documents

import (
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/urfave/cli/v2"
)

// allCommands returns all commands except those that only group others, by their full names, such as "run check".
func allCommands() map[string]*cli.Command {
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

// commandNames returns the names of [allCommands], in alphabetical order.
func commandNames() []string { return slices.Sorted(maps.Keys(allCommands())) }

// missingExamples returns the example in the help of each command that none of the calls is of.
func missingExamples(calls []string) (missing []string) {
	runs := strings.NewReplacer("rooms", "ring0", "bits=7", "seed=0-9", "'", "")
	for _, d := range cmdline.Commands() {
		if d.Name != "help" &&
			!slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", d.Name+" ") }) {
			missing = append(missing, runs.Replace(strings.TrimPrefix(d.Example, "podtrack ")))
		}
	}
	return missing
}

// mustRun runs a line and fails the test unless it exits 0.
func mustRun(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}
