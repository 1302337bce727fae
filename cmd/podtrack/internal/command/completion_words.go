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
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
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
		return beginning(last, cmdline.CommandNames(k.App.Commands))
	}
	command := cmdline.FindCommand(k.App.Commands, k.words[1])
	if command == nil {
		return nil
	}
	if sub := cmdline.FindCommand(command.Subcommands, k.words[2]); sub != nil && at > 2 {
		command = sub
	}
	before := k.words[at-1]
	switch {
	case before == "--set" && cmdline.TakesValue(command, before):
		return beginning(last, textfmt.Map(runner.SpecFields(), func(f runner.SpecField) string { return f.Name + "=" }))
	case strings.HasPrefix(before, "-") && cmdline.TakesValue(command, before):
		return nil
	case strings.HasPrefix(last, "-"):
		return beginning(last, flagNames(command))
	case command.Name == "help":
		return beginning(last, append(help.Names(), cmdline.CommandNames(k.App.Commands)...))
	case at == 2 && len(command.Subcommands) > 0:
		return beginning(last, cmdline.CommandNames(command.Subcommands))
	case strings.Contains(command.ArgsUsage, "RUN"):
		return beginning(last, k.runs())
	}
	return nil
}

// beginning returns the candidates that begin like a word.
func beginning(word string, candidates []string) (matching []string) {
	for _, c := range candidates {
		if strings.HasPrefix(c, word) && !strings.ContainsAny(c, " \t\n'\"\\") {
			matching = append(matching, c)
		}
	}
	slices.Sort(matching)
	return slices.Compact(matching)
}

// How many of the newest runs are looked at, and for how long at most.
const (
	mostRuns = 1000
	mostTime = time.Second
)

// runs returns the names of the newest runs of the store, and the short IDs of those without one.
func (k completion) runs() (labels []string) {
	ctx, cancel := context.WithTimeout(k.Context.Context, mostTime)
	defer cancel()
	_ = k.store().View(ctx, func(tx *tracker.Tx) error { // a shell shows no errors
		_, runs, err := report.SelectFirst(tx, nil, mostRuns)
		labels = textfmt.Map(runs, report.Run.Label)
		return err
	})
	return labels
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

// flagNames returns the flags of a command, with their dashes.
func flagNames(c *cli.Command) (names []string) {
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			names = append(names, strings.Repeat("-", min(len(name), 2))+name)
		}
	}
	return names
}
