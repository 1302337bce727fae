package e2e

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/urfave/cli/v2"
)

// commandNames returns the names of all commands that do something, as they are typed.
func commandNames() []string {
	return namesBelow("", command.NewApp(io.Discard, io.Discard).Commands)
}

func namesBelow(path string, commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if c.Action != nil {
			names = append(names, path+c.Name)
		}
		names = append(names, namesBelow(path+c.Name+" ", c.Subcommands)...)
	}
	return names
}

// checkAllCalled checks that calls name each command, so that none is forgotten.
func checkAllCalled(t *testing.T, calls []string) {
	t.Helper()
	for _, name := range commandNames() {
		if !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", name+" ") }) {
			t.Errorf("podtrack %s is not called", name)
		}
	}
}
