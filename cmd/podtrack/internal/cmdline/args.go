package cmdline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// ReorderArgs moves flags in front of positional arguments and behind their command.
// The cli library stops reading flags at the first positional argument, but people type
// "show RUN --json" and put flags before the command.
func ReorderArgs(app *cli.App, args []string) ([]string, error) {
	var path, flags, rest []string
	commands, known := app.Commands, allFlags(app.Commands)
	for i := 1; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case arg == "--version" && len(path) == 0:
			path = append(path, "version")
		case len(arg) > 1 && arg[0] == '-':
			flags = append(flags, arg)
			if takesValue(known, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		default:
			c := FindCommand(commands, arg)
			if c == nil || len(rest) > 0 {
				rest = append(rest, arg)
				continue
			}
			path, commands = append(path, arg), c.Subcommands
			known = allFlags([]*cli.Command{c})
		}
	}
	if len(path) == 0 && len(rest) > 0 {
		return nil, UnknownCommand(app.Commands, rest[0])
	}
	if len(path) > 0 && slices.ContainsFunc(flags, func(f string) bool { return f == "--help" || f == "-h" }) {
		rest = nil // the library would take them for help topics
	}
	arranged := append([]string{args[0]}, path...)
	arranged = append(arranged, flags...)
	if len(rest) > 0 && len(path) > 0 {
		arranged = append(arranged, "--")
	}
	return append(arranged, rest...), nil
}

// FindCommand returns the command of that name, nil if there is none.
func FindCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// allFlags returns the names of all flags of the commands, with whether each takes a
// value.
func allFlags(commands []*cli.Command) map[string]bool {
	known := map[string]bool{}
	for _, c := range commands {
		for _, f := range c.Flags {
			_, isBool := f.(*cli.BoolFlag)
			for _, name := range f.Names() {
				known[name] = !isBool
			}
		}
		for name, takes := range allFlags(c.Subcommands) {
			known[name] = takes
		}
	}
	return known
}

// takesValue reports whether the argument after arg is the value of flag arg.
func takesValue(known map[string]bool, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return !strings.Contains(name, "=") && known[name]
}

// UnknownCommand returns the error for a name that no command has.
func UnknownCommand(commands []*cli.Command, name string) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := "podtrack help lists the commands and the topics"
	if near := textform.Suggest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return schema.Hint(fmt.Errorf("unknown command %q", name), "%s", hint)
}
