package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// appHelp is the template of the program's help. The listing takes longer than the start of most
// commands, so it is made only when it is shown.
const appHelp = `{{call (index .Metadata "` + listingKey + `")}}`

// listingKey is the key of the function of the application's metadata that returns its help.
const listingKey = "listing"

// closing ends the program's help.
const closing = `podtrack help NAME shows a topic, what podtrack NAME --help shows, or what the word NAME means;
podtrack --version shows the versions of the program, its stores and numerics;
podtrack --licenses the licenses of all that it is built of;
podtrack help json --schema shows what --json prints, as a JSON Schema.`

// programHelp returns the program's help: what it is, and its commands and topics.
func programHelp(app *cli.App) string {
	var lines []string
	width := min(helpWidth, topicWidth(table.WidthOf(app.Writer)))
	add := func(texts ...string) {
		for _, text := range texts {
			lines = append(lines, table.Wrap(text, width)...)
		}
	}
	addEntry := func(name, text string) {
		const indent = 16
		lines = append(lines, hang(fmt.Sprintf("  %-*s", indent-2, name), text, indent, max(width, indent+leastHelp))...)
	}
	add(app.Name + " - " + app.Usage)
	for _, paragraph := range strings.Split(app.Description, "\n\n") {
		add("", strings.ReplaceAll(paragraph, "\n", " "))
	}
	add("", "Usage: podtrack COMMAND [FLAG…] [ARGUMENT…]")
	group := cmdline.Group("")
	for i, d := range cmdline.Commands()[:len(app.Commands)] {
		if d.Group != group {
			group = d.Group
			add("", string(group))
		}
		addEntry(d.Name, app.Commands[i].Usage)
	}
	add("", "Help topics")
	for _, t := range help.Topics() {
		addEntry(t.Name, t.Summary)
	}
	add("")
	add(strings.Split(closing, "\n")...)
	return strings.Join(lines, "\n") + "\n"
}

const helpWidth = 80 // columns

var _ = cmdline.Register(cmdline.Command{
	Name: "help", Group: cmdline.GroupProgram, Place: 1,
	Example: "podtrack help glossary",
	Usage:   "show the help of a command or a topic, or what a word means",
	Args:    "[COMMAND | TOPIC | WORD]",
	Aliases: []string{"h"},
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{
			&cli.BoolFlag{Name: "schema", Usage: "with json: print a JSON Schema of what each command prints with --json"},
		}, showHelp
	},
})

// showHelp prints the help of the program, a command or a topic.
func showHelp(c *cli.Context) error {
	path := c.Args().Slice()
	if c.Bool("schema") {
		if !slices.Equal(path, []string{"json"}) {
			return schema.Hint(errors.New("--schema is for json"), "podtrack help json --schema")
		}
		return cmdline.PrintJSON(c.App.Writer, jsonSchema(answers()))
	}
	if len(path) == 0 {
		return cli.ShowAppHelp(c)
	}
	word := strings.Join(path, " ")
	entries := define(word)
	text, err := help.Text(word)
	switch command := cmdline.FindCommand(c.App.Commands, path[0]); {
	case err == nil:
		err = showTopic(c, word, text)
	case command == c.Command && len(path) == 1:
		return cli.ShowCommandHelp(c, command.Name)
	case command != nil && command != c.Command:
		words := append([]string{c.App.Name}, path...)
		err = c.App.RunContext(c.Context, append(words, "--help"))
	case len(entries) > 0:
		return showEntries(c, entries)
	default:
		return unknownTopic(c, word)
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(c.App.Writer, "\nIn the glossary:"); err != nil {
		return err
	}
	return showEntries(c, entries)
}

// define returns the glossary's entries for a word. Of a field of the spec it says how a command is given it, and its
// default.
func define(word string) []help.Entry {
	entries := help.Define(word)
	for _, f := range runner.SpecFields() {
		if f.Name == word {
			entries = slices.DeleteFunc(entries, func(e help.Entry) bool { return e.Meaning == f.Usage })
			entries = append([]help.Entry{{Word: strings.Join(hints.FieldWords(word, "VALUE"), " "),
				Meaning: f.Usage + " (default: " + f.Default + ")"}}, entries...)
		}
	}
	return entries
}

// showTopic prints a help topic. If a command has the same name, it also says how to list that
// command's flags.
func showTopic(c *cli.Context, name, text string) error {
	if cmdline.FindCommand(c.App.Commands, name) != nil {
		text += "\n`podtrack " + name + " --help` lists the command's flags.\n"
	}
	_, err := fmt.Fprint(c.App.Writer, renderTopic(text, topicWidth(table.WidthOf(c.App.Writer))))
	return err
}

// showEntries prints entries of the glossary.
func showEntries(c *cli.Context, entries []help.Entry) error {
	for _, e := range entries {
		text := table.Wrap(e.Word+": "+e.Meaning, min(helpWidth, topicWidth(table.WidthOf(c.App.Writer))))
		if _, err := fmt.Fprintln(c.App.Writer, strings.Join(text, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// unknownTopic returns the error for a name that is no command, topic or word of the glossary.
func unknownTopic(c *cli.Context, name string) error {
	names := slices.Concat(textfmt.Map(help.Topics(), func(t help.Topic) string { return t.Name }),
		cmdline.CommandNames(c.App.Commands))
	for _, s := range help.Glossary() {
		for _, e := range s.Entries {
			names = append(names, e.Names()...)
		}
	}
	hint := "podtrack help lists the commands and the topics, podtrack help glossary the words"
	if near := textfmt.Suggest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return schema.Hint(fmt.Errorf("no command, help topic or word %q", name), "%s", hint)
}

// commandHelp returns the template of a command's help.
func commandHelp(d cmdline.Command, c *cli.Command) string {
	text := cli.CommandHelpTemplate
	if len(c.Subcommands) > 0 {
		text = cli.SubcommandHelpTemplate
	}
	return text + "\nEXAMPLE:\n   " + d.Example + "\n\nExit codes: podtrack help exit-codes\n"
}
