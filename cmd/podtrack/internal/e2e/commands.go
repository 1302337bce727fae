package e2e

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/urfave/cli/v2"
)

// CommandNames returns the names of all commands that do something, as they are typed.
func CommandNames() []string {
	return namesBelow("", command.NewApp(io.Discard, io.Discard).Commands)
}

func namesBelow(path string, commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if c.Action != nil && c.Name != "help" {
			names = append(names, path+c.Name)
		}
		names = append(names, namesBelow(path+c.Name+" ", c.Subcommands)...)
	}
	return names
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
