package e2e

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/urfave/cli/v2"
)

// Commands returns all commands that do something, by their names as they are typed.
func Commands() map[string]*cli.Command {
	commands := map[string]*cli.Command{}
	addCommands(commands, "", command.NewApp(io.Discard, io.Discard).Commands)
	return commands
}

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

// FigureCalls returns a call of podtrack plot for each figure: its example, of the given runs.
func FigureCalls(run, other string) (calls []string) {
	runs := strings.NewReplacer("ring0", run, "ring1", other, "rooms", run)
	for _, k := range figure.Kinds() {
		if !k.OffPlot {
			calls = append(calls, strings.TrimSpace("plot "+k.Name+" "+runs.Replace(k.Example)))
		}
	}
	return calls
}

// WithFigures returns calls with those of [FigureCalls] that are not among them, each with what ends it.
func WithFigures(calls []string, run, other, end string) []string {
	for _, call := range FigureCalls(run, other) {
		command := strings.Join(strings.Fields(call)[:2], " ") + " "
		if !slices.ContainsFunc(calls, func(had string) bool { return strings.HasPrefix(had, command) }) {
			calls = append(slices.Clip(calls), call+end)
		}
	}
	return calls
}

// CheckAllCalled checks that calls name each command, so that none is forgotten.
func CheckAllCalled(t *testing.T, calls []string) {
	t.Helper()
	for _, name := range CommandNames() {
		if !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", name+" ") }) {
			t.Errorf("podtrack %s is not called", name)
		}
	}
}

// BadWords checks the form of a failure's message: what failed, then how to mend it. It returns what is wrong with the
// message, or "".
func BadWords(stderr string) string {
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
