package cmdline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
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
		case len(arg) > 1 && arg[0] == '-':
			name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			flag, spelling := findFlag(known, name)
			arg = arg[:len(arg)-len(strings.TrimLeft(arg, "-"))] + spelling
			switch {
			case hasValue:
				flags = append(flags, arg+"="+plainValue(flag, value))
			case takesValue(flag) && i+1 < len(args):
				i++
				flags = append(flags, arg, plainValue(flag, args[i]))
			default:
				flags = append(flags, arg)
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
		rest = nil // the library would take them as help topics
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

// allFlags returns all flags of the commands by their names.
func allFlags(commands []*cli.Command) map[string]cli.Flag {
	known := map[string]cli.Flag{}
	for _, c := range commands {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				known[name] = f
			}
		}
		maps.Copy(known, allFlags(c.Subcommands))
	}
	return known
}

// findFlag returns the flag of a name, in which - and _ are the same, and the spelling that the library knows. The
// flag is nil if there is none.
func findFlag(known map[string]cli.Flag, name string) (flag cli.Flag, spelling string) {
	for _, spelling := range []string{name, strings.ReplaceAll(name, "_", "-"), strings.ReplaceAll(name, "-", "_")} {
		if flag := known[spelling]; flag != nil {
			return flag, spelling
		}
	}
	return nil, name
}

// takesValue reports whether the argument after a flag, which may be nil, is its value.
func takesValue(flag cli.Flag) bool {
	_, isBool := flag.(*cli.BoolFlag)
	return flag != nil && !isBool
}

// plainValue returns the value of a flag as the library reads it: a whole number without an exponent.
func plainValue(flag cli.Flag, value string) string {
	if isInteger(flag) {
		return textfmt.PlainInteger(value)
	}
	return value
}

func isInteger(flag cli.Flag) bool {
	switch flag.(type) {
	case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag:
		return true
	}
	return false
}

// TakesInteger reports whether the flag of that name takes a whole number.
func TakesInteger(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) && isInteger(f) })
}

// otherWords are other programs' words for commands, spelt too differently for a suggestion.
var otherWords = map[string]string{"delete": "rm", "remove": "rm", "del": "rm", "list": "ls", "restore": "rm --undo",
	"undelete": "rm --undo", "rename": "label --name", "name": "label --name", "tag": "label --tag",
	"note": "label --note", "annotate": "label", "wait": "status --wait", "plans": "sweep plans",
	"stage": "run check", "version": "--version"}

// UnknownCommand returns the error for a name that no command has.
func UnknownCommand(commands []*cli.Command, name string) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := "podtrack help lists the commands and the topics"
	if near := cmp.Or(otherWords[strings.ToLower(name)], textfmt.Suggest(name, names)); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return schema.Hint(fmt.Errorf("unknown command %q", name), "%s", hint)
}
