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

// ReorderArgs moves flags behind the command and in front of the positional arguments.
// The cli library stops reading flags at the first positional argument, but people type
// "show RUN --json" and put flags before the command.
func ReorderArgs(app *cli.App, args []string) ([]string, error) {
	var path, flags, rest []string
	commands := app.Commands    // those that the next word can name
	known := allFlags(commands) // the flags of the command, or of all commands before one is known
	for left := args[1:]; len(left) > 0; {
		arg := left[0]
		left = left[1:]
		c := FindCommand(commands, arg)
		switch {
		case arg == "--":
			rest, left = append(rest, left...), nil
		case len(arg) > 1 && arg[0] == '-':
			word := strings.TrimLeft(arg, "-")
			name, value, hasValue := strings.Cut(word, "=")
			flag, spelling := findFlag(known, name)
			arg = arg[:len(arg)-len(word)] + spelling
			switch {
			case hasValue:
				flags = append(flags, arg+"="+plainValue(flag, value))
			case takesValue(flag) && len(left) > 0:
				flags, left = append(flags, arg, plainValue(flag, left[0])), left[1:]
			default:
				flags = append(flags, arg)
			}
		case c == nil || len(rest) > 0:
			rest = append(rest, arg)
		default:
			path, commands, known = append(path, arg), c.Subcommands, allFlags([]*cli.Command{c})
		}
	}
	switch wantsHelp := slices.Contains(flags, "--help") || slices.Contains(flags, "-h"); {
	case len(path) == 0 && len(rest) > 0:
		return nil, UnknownCommand(app.Commands, rest[0])
	case wantsHelp && len(path) > 0 && (path[0] == "help" || path[0] == "h"):
		return []string{args[0], "help", "help"}, nil // the library would print the program's help
	case wantsHelp && len(path) > 0:
		rest = nil // the library would take them as help topics
	case len(rest) > 0:
		rest = append([]string{"--"}, rest...)
	}
	return slices.Concat(args[:1], path, flags, rest), nil
}

// ArgsKey is the key of the app's metadata under which the arguments of the program are, in the library's order.
const ArgsKey = "args"

// WordsWithout returns the words of the command that is executed, behind its name: arguments, then flags but for the
// named ones.
func WordsWithout(c *cli.Context, names ...string) (words []string) {
	args, _ := c.App.Metadata[ArgsKey].([]string)
	known := allFlags([]*cli.Command{c.Command})
	words = c.Args().Slice()
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if !strings.HasPrefix(args[i], "-") {
			continue // the command
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		from := i
		if !hasValue && takesValue(known[name]) {
			i++
		}
		if !slices.Contains(names, name) {
			words = append(words, args[from:min(i+1, len(args))]...)
		}
	}
	return words
}

// CommandOf returns the command line that is executed, without the named flags.
func CommandOf(c *cli.Context, names ...string) string {
	return CommandLine(append(strings.Fields(NameOf(c)), WordsWithout(c, names...)...))
}

// CommandNames returns the names of some commands.
func CommandNames(commands []*cli.Command) []string {
	return textfmt.Map(commands, func(c *cli.Command) string { return c.Name })
}

// FindCommand returns the command with the given name, or nil if there is none.
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

// findFlag returns the flag with the given name and the library's spelling of it. It does not distinguish - and _ in
// names. The flag is nil if there is none.
func findFlag(known map[string]cli.Flag, name string) (flag cli.Flag, spelling string) {
	for _, spelling := range []string{name, strings.ReplaceAll(name, "_", "-"), strings.ReplaceAll(name, "-", "_")} {
		if flag := known[spelling]; flag != nil {
			return flag, spelling
		}
	}
	return nil, name
}

// takesValue reports whether the argument after a flag is its value. flag may be nil.
func takesValue(flag cli.Flag) bool {
	_, isBool := flag.(*cli.BoolFlag)
	return flag != nil && !isBool
}

// TakesValue reports whether a flag of a command, with its dashes, is followed by its value.
func TakesValue(c *cli.Command, flag string) bool {
	return takesValue(allFlags([]*cli.Command{c})[strings.TrimLeft(flag, "-")])
}

// plainValue returns the value of a flag in a form that the library can parse: an integer has no exponent.
func plainValue(flag cli.Flag, value string) string {
	switch flag.(type) {
	case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag:
		return textfmt.PlainInteger(value)
	}
	return value
}

// ValueOf returns what the value of the flag with the given name is, and an example.
func ValueOf(flags []cli.Flag, name string) (wanted, example string) {
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *cli.Float64Flag:
			return "a number", "0.5"
		case *cli.DurationFlag:
			return "a time with a unit", "30s or 5m"
		case *cli.BoolFlag:
			return "true or false", "--" + name + "=false"
		}
	}
	return "a valid whole number", "10"
}

// otherWords maps other programs' names for commands to podtrack's, where the spelling is too different for
// [textfmt.Suggest].
var otherWords = map[string]string{"delete": "rm", "remove": "rm", "del": "rm", "list": "ls",
	"du": "ls --columns name,stored,exclusive", "rename": "label --name", "name": "label --name", "tag": "label --tag",
	"note": "label --note", "annotate": "label",
	"stage": "run check", "version": "--version"}

// UnknownCommand returns the error for the name of a command that does not exist.
func UnknownCommand(commands []*cli.Command, name string) error {
	hint := "podtrack help lists the commands and the topics"
	near := cmp.Or(otherWords[strings.ToLower(name)], textfmt.Suggest(name, CommandNames(commands)))
	if near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return schema.Hint(fmt.Errorf("unknown command %q", name), "%s", hint)
}
