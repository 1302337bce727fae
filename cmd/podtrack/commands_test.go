package main

import (
	"io"

	"github.com/urfave/cli/v2"
)

// commandNames returns the names of all commands that do something, as they are typed.
func commandNames() []string {
	return namesBelow("", newApp(io.Discard, io.Discard).Commands)
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
