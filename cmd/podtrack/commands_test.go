package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// commandNames returns the names of all commands that do something, as they are typed.
func commandNames() []string {
	return namesBelow("", newApp(io.Discard, io.Discard).Commands)
}

func namesBelow(path string, commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if len(c.Subcommands) == 0 {
			names = append(names, path+c.Name)
		}
		names = append(names, namesBelow(path+c.Name+" ", c.Subcommands)...)
	}
	return names
}

// coverAll checks that calls name each command at least once, so that none is
// forgotten.
func coverAll(t *testing.T, calls []string) {
	t.Helper()
	for _, name := range commandNames() {
		if !slices.ContainsFunc(calls, func(call string) bool { return call == name || strings.HasPrefix(call, name+" ") }) {
			t.Errorf("nothing is said of podtrack %s", name)
		}
	}
}
