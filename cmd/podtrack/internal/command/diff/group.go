package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

var matrices = []string{"purposes", "runs"}

// diffGroup prints what the runs of a group discovered. It exits 0 whatever the result.
func diffGroup(c *cli.Context, limits diff.Limits) error {
	matrix, err := diffGroupFlags(c)
	if err != nil {
		return err
	}
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	g, err := GroupOf(c.Context, cmdline.OpenStore(c), c.Args().Slice(), limits)
	if err != nil {
		return err
	}
	return printGroup(c, g, matrix)
}

// GroupOf clusters the eigenpurposes that the selected runs discovered.
func GroupOf(
	ctx context.Context, store *tracker.Store, selection []string, limits diff.Limits,
) (g diff.Clustering, err error) {
	selected, err := cmdline.SelectSomeRunsOf(ctx, store, selection)
	if err != nil {
		return g, err
	}
	runs, err := diff.OpenAll(ctx, store, selected)
	if err != nil {
		return g, err
	}
	return diff.ClusterRuns(ctx, runs, limits)
}

// diffGroupFlags returns the matrix to print, "" for none. It returns an error for flags that
// apply to two runs only.
func diffGroupFlags(c *cli.Context) (matrix string, err error) {
	for _, name := range []string{"other", "all", "agreement", "gap"} {
		if c.IsSet(name) {
			return "", schema.Hint(fmt.Errorf("--%s together with --group", name),
				"a group is compared within one store, by --cosine alone; leave --%s out", name)
		}
	}
	if matrix = c.String("matrix"); c.IsSet("matrix") && !slices.Contains(matrices, matrix) {
		return "", schema.Hint(fmt.Errorf("unknown matrix %q", matrix), "the matrices are %s", strings.Join(matrices, ", "))
	}
	return matrix, nil
}

func printGroup(c *cli.Context, g diff.Clustering, matrix string) error {
	w, format := c.App.Writer, c.String("format")
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(w, g)
	case matrix == "purposes":
		return foundTable(g).Print(w, format)
	case matrix == "runs":
		return similarityTable(g).Print(w, format)
	}
	if format != table.Formats[0] {
		return distinctTable(g, 1).Print(w, format)
	}
	if len(g.Purposes) == 0 {
		_, err := fmt.Fprintf(w, "no purpose was selected in any iteration of %s\n",
			cmdline.Plural(len(g.Runs)+len(g.Empty), "run"))
		return err
	}
	least := 1 // or 2, if some eigenpurposes are shared by several runs
	if g.Purposes[0].Runs > 1 {
		least = 2
	}
	if err := distinctTable(g, least).Print(w, format); err != nil {
		return err
	}
	return printGroupNotes(w, g, least)
}
