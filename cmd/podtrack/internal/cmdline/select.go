package cmdline

import (
	"context"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// SelectSomeRuns reads the runs that the command's arguments name, of which there must be
// one at least.
func SelectSomeRuns(c *cli.Context) (runs []report.Run, err error) {
	return SelectSomeRunsOf(c.Context, OpenStore(c), c.Args().Slice())
}

// SelectSomeRunsOf reads the runs of a store that a selection names, of which there must be
// one at least.
func SelectSomeRunsOf(ctx context.Context, store *tracker.Store, selection []string) (runs []report.Run, err error) {
	err = store.View(ctx, func(tx *tracker.Tx) error {
		runs, err = report.SelectSome(tx, selection)
		return err
	})
	return runs, err
}

// SomeArgs returns an error if the command has no arguments; other commands take that as all runs.
func SomeArgs(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("%s needs runs", c.Command.Name), "podtrack %s %s; podtrack ls lists the runs",
			c.Command.Name, c.Command.ArgsUsage)
	}
	return nil
}

// NoArgs returns an error if the command has arguments. If the first resembles the name of a
// subcommand, the error suggests that.
func NoArgs(c *cli.Context, remedy string) error {
	if c.NArg() == 0 {
		return nil
	}
	if near := textfmt.Suggest(c.Args().First(), CommandNames(c.Command.Subcommands)); near != "" {
		remedy = fmt.Sprintf("did you mean %s %s? %s", NameOf(c), near, remedy)
	}
	return schema.Hint(fmt.Errorf("%s takes no argument %q", strings.TrimPrefix(NameOf(c), "podtrack "),
		c.Args().First()), "%s", remedy)
}

// OneArg returns the command's only argument.
func OneArg(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		hint := NameOf(c) + " " + what
		if strings.HasPrefix(what, "RUN") {
			hint += "; podtrack ls lists the runs"
		}
		return "", schema.Hint(fmt.Errorf("%s takes one %s, not %d arguments",
			strings.TrimPrefix(NameOf(c), "podtrack "), what, c.NArg()), "%s", hint)
	}
	return c.Args().First(), nil
}

// OneRef returns the command's only argument, a reference to something of one of these kinds.
func OneRef(c *cli.Context, what string, kinds ...report.RefKind) (ref report.Ref, err error) {
	text, err := OneArg(c, what)
	if err != nil {
		return ref, err
	}
	return report.ParseRefOf(text, kinds...)
}

// CheckIteration returns an error if none of the runs has iteration k, unless that is nil.
func CheckIteration(k *int, runs []report.Run) error {
	most := 0
	for _, r := range runs {
		most = max(most, r.Iterations)
	}
	if k == nil || *k >= 0 && *k < most {
		return nil
	}
	which, they := "run "+runs[0].Label(), "it has"
	if len(runs) > 1 {
		which, they = "any of "+textfmt.CountOf(len(runs), "run"), "they have"
	}
	has := fmt.Sprintf("%s iterations 0 to %d", they, most-1)
	switch most {
	case 0:
		has = they + " none yet; podtrack resume continues what was interrupted"
	case 1:
		has = they + " only iteration 0"
	}
	return schema.Hint(fmt.Errorf("no iteration %d in %s", *k, which), "%s", has)
}

// WholeRefs returns [report.WholeRefs] of the runs of rows.
func WholeRefs[T any](rows []T, run func(T) schema.Digest) func(ref string) string {
	ids := make([]schema.Digest, len(rows))
	for i, row := range rows {
		ids[i] = run(row)
	}
	return report.WholeRefs(ids...)
}
