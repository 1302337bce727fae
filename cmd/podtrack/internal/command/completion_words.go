package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A completion looks for what the last word of a command line can be.
type completion struct {
	*cli.Context
	words []string // of the command line, podtrack first; there may be just one
}

// candidates returns the words that begin like the last one.
func (k completion) candidates() []string {
	last, at := k.words[len(k.words)-1], len(k.words)-1
	if at < 2 {
		return beginning(last, "", commandNames(k.App.Commands))
	}
	command := cmdline.FindCommand(k.App.Commands, k.words[1])
	if command == nil {
		return nil
	}
	if sub := cmdline.FindCommand(command.Subcommands, k.words[2]); sub != nil && at > 2 {
		command = sub
	}
	if flag, value, found := strings.Cut(last, "="); found && strings.HasPrefix(last, "-") {
		return k.flagValues(command, flag, value, flag+"=")
	}
	if before := k.words[at-1]; strings.HasPrefix(before, "-") && takesValue(command, before) {
		return k.flagValues(command, before, last, "")
	}
	switch {
	case strings.HasPrefix(last, "-"):
		return beginning(last, "", flagNames(command))
	case command.Name == "help":
		return beginning(last, "", append(help.Names(), commandNames(k.App.Commands)...))
	case at == 2 && len(command.Subcommands) > 0:
		return beginning(last, "", commandNames(command.Subcommands))
	}
	return k.arguments(command, last)
}

// arguments returns what an argument of the command can be: a run, or a term of a filter.
func (k completion) arguments(command *cli.Command, last string) []string {
	key, value, isTerm := strings.Cut(last, "=")
	switch {
	case !strings.Contains(command.ArgsUsage, "RUN") && !strings.Contains(command.ArgsUsage, "FILTER"):
		return nil
	case isTerm:
		return beginning(value, key+"=", k.valuesOf(key))
	case !strings.Contains(command.ArgsUsage, "FILTER"):
		return beginning(last, "", k.runs(nil))
	}
	var terms []string
	for _, key := range report.FilterKeys() {
		terms = append(terms, key+"=")
	}
	return beginning(last, "", append(k.runs(nil), terms...))
}

// beginning returns the candidates that begin like a word, with what stands before it. In a list, the word is its last
// element.
func beginning(word, before string, candidates []string) (matching []string) {
	i := strings.LastIndex(word, ",") + 1
	before, word = before+word[:i], word[i:]
	for _, c := range candidates {
		if strings.HasPrefix(c, word) && !strings.ContainsAny(c, " \t\n'\"\\") {
			matching = append(matching, before+c)
		}
	}
	slices.Sort(matching)
	return slices.Compact(matching)
}

// takesValue reports whether a flag is followed by its value.
func takesValue(command *cli.Command, flag string) bool {
	for _, f := range command.Flags {
		if takes, ok := f.(cli.DocGenerationFlag); ok && slices.Contains(f.Names(), strings.TrimLeft(flag, "-")) {
			return takes.TakesValue()
		}
	}
	return false
}

// flagValues returns the values of a flag that begin like a word, with what stands before it.
func (k completion) flagValues(command *cli.Command, flag, word, before string) []string {
	if flag != "--set" {
		return beginning(word, before, k.valuesOfFlag(command, flag))
	}
	if field, value, found := strings.Cut(word, "="); found {
		return beginning(value, before+field+"=", k.valuesOf(field))
	}
	var fields []string
	for _, field := range runner.SpecFields() {
		fields = append(fields, field.Name+"=")
	}
	return beginning(word, before, fields)
}

// valuesOfFlag returns the values that a flag can have, none if they are not words.
func (k completion) valuesOfFlag(command *cli.Command, flag string) []string {
	switch name := strings.TrimLeft(flag, "-"); name {
	case "format":
		if command.Name == "export" || command.Name == "plot" {
			return nil
		}
		return table.Formats
	case "columns", "sort", "by":
		return report.FilterKeys()
	case "best", "measure":
		return report.MeasureNames()
	case "untag":
		return k.valuesOf("tag")
	case "keep":
		kinds := []string{"none", "all"}
		for _, kind := range tracker.PrunableKinds {
			kinds = append(kinds, report.FormatKeep(&tracker.Retention{Kinds: []schema.Kind{kind}}))
		}
		return kinds
	default:
		return k.valuesOf(strings.ReplaceAll(name, "-", "_"))
	}
}

// valuesOf returns the values of a field of specs, or of a key of filters.
func (k completion) valuesOf(key string) (values []string) {
	switch key {
	case "env":
		for _, e := range envs.RegisteredEnvs() {
			values = append(values, e.Name)
		}
		return values
	case "map":
		return envs.MapNames()
	case "tag", "name", "study", "variant", "setting":
		return k.runs(func(r report.Run) []string {
			text, _ := r.Field(key)
			return strings.Split(text, ",")
		})
	}
	return report.WordsOf(key)
}

// How many of the newest runs are looked at, and for how long at most.
const (
	mostRuns = 1000
	mostTime = time.Second
)

// runs returns what can be said of the newest runs of the store: their names, and the short IDs of those without one,
// unless of says something else.
func (k completion) runs(of func(report.Run) []string) (words []string) {
	if of == nil {
		of = func(r report.Run) []string { return []string{r.Label()} }
	}
	ctx, cancel := context.WithTimeout(k.Context.Context, mostTime)
	defer cancel()
	_ = k.store().View(ctx, func(tx *tracker.Tx) error { // a shell shows no errors
		_, runs, err := report.SelectFirst(tx, nil, mostRuns)
		for _, r := range runs {
			words = append(words, of(r)...)
		}
		return err
	})
	return words
}

// store returns the store that the command line names.
func (k completion) store() *tracker.Store {
	path := cmdline.StorePath(k.Context)
	for i, word := range k.words {
		if file, found := strings.CutPrefix(word, "--store="); found {
			path = file
		} else if word == "--store" && i+1 < len(k.words)-1 {
			path = k.words[i+1]
		}
	}
	return cmdline.StoreAt(k.Context, path)
}

func commandNames(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// flagNames returns the flags of a command, with their dashes.
func flagNames(c *cli.Command) (names []string) {
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			names = append(names, strings.Repeat("-", min(len(name), 2))+name)
		}
	}
	return names
}
