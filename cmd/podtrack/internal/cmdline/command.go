// Package cmdline has what podtrack's commands share: flags and references,
// exit codes, output that escapes text from elsewhere, progress, and files that are
// written whole or not at all.
package cmdline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Command describes a command, in the file that implements it. Help, completion and the tests range over [Commands].
type Command struct {
	Name    string // in full, such as "run check"
	Group   Group  // in podtrack help, none for a subcommand
	Place   int    // in its group, the most used command first; equal places are sorted by name
	Example string // a call that a test executes, in a store with runs ring0, ring1, ring2 and rooms
	JSON    []any  // a value of each type that --json prints; of [Lines], of each line

	Usage, Args, Description string // what it does, on a line; what it takes; more text; the last two may be ""
	Aliases                  []string

	// Served are the flags that the pages of a server may give, beside those of the answer's form; nil for a command that
	// they do not show. It must read the store alone, and open no file that an argument or such a flag names.
	Served []string
	Make   func() ([]cli.Flag, cli.ActionFunc) // flags, and the action that finds their values
}

type servedKey struct{}

// WithinServer returns a context in which commands answer others than the user of this machine: they open no file that
// an argument names.
func WithinServer(ctx context.Context) context.Context {
	return context.WithValue(ctx, servedKey{}, true)
}

// IsServed reports whether a command answers within a server.
func IsServed(ctx context.Context) bool { return ctx.Value(servedKey{}) != nil }

// Group is a group of commands in podtrack help.
type Group string

// The groups of commands.
const (
	GroupRun     Group = "Run"
	GroupInspect Group = "Inspect"
	GroupCompare Group = "Compare"
	GroupShow    Group = "Show"
	GroupShare   Group = "Share"
	GroupCare    Group = "Care for the store"
	GroupProgram Group = "The program"
)

// groups are the groups of commands in the order of podtrack help.
var groups = []Group{GroupRun, GroupInspect, GroupCompare, GroupShow, GroupShare, GroupCare, GroupProgram}

var registered []Command

// Register adds a command. It returns a value so that a variable of the command's file can call it.
func Register(d Command) struct{} {
	if slices.ContainsFunc(registered, func(had Command) bool { return had.Name == d.Name }) {
		panic("two commands are called " + d.Name)
	}
	registered = append(registered, d)
	return struct{}{}
}

// Commands returns all commands by group, each before its subcommands.
func Commands() []Command {
	all := slices.Clone(registered)
	slices.SortFunc(all, func(a, b Command) int {
		return cmp.Or(strings.Count(a.Name, " ")-strings.Count(b.Name, " "),
			slices.Index(groups, a.Group)-slices.Index(groups, b.Group), a.Place-b.Place, cmp.Compare(a.Name, b.Name))
	})
	return all
}

// MakeCommands makes the top-level commands with their subcommands, in the order of [Commands], and calls prepare for
// each.
func MakeCommands(prepare func(Command, *cli.Command)) (top []*cli.Command) {
	made := map[string]*cli.Command{}
	for _, d := range Commands() {
		words := strings.Fields(d.Name)
		c := &cli.Command{Name: words[len(words)-1], Aliases: d.Aliases, Usage: d.Usage, ArgsUsage: d.Args,
			Description: d.Description}
		c.Flags, c.Action = d.Make()
		if made[d.Name] = c; len(words) == 1 {
			top = append(top, c)
		} else {
			above := made[words[0]]
			above.Subcommands = append(above.Subcommands, c)
		}
	}
	for _, d := range Commands() {
		prepare(d, made[d.Name])
	}
	return top
}
