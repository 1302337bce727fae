package diff

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// matrices lists what --matrix prints.
var matrices = []string{"options", "purposes", "runs", "iterations"}

// mostDraws limits the time that p-values take.
const mostDraws = 1_000_000

// diffGroup prints what the runs of a group discovered. It exits 0 whatever the result.
func diffGroup(c *cli.Context, limits diff.Limits) error {
	options, matrix, err := diffGroupFlags(c, limits)
	if err != nil {
		return err
	}
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "compared")
	options.Progress = func(done, total int64) { bar.Show(done, total, "") }
	g, err := GroupOf(c.Context, cmdline.OpenStore(c), c.Args().Slice(), options)
	bar.Stop()
	if err != nil {
		return err
	}
	return printGroup(c, g, matrix)
}

// GroupOf compares what the selected runs discovered.
func GroupOf(
	ctx context.Context, store *tracker.Store, selection []string, options diff.GroupOptions,
) (g diff.Clustering, err error) {
	selected, err := cmdline.SelectSomeRunsOf(ctx, store, selection)
	if err != nil {
		return g, err
	}
	runs, err := diff.OpenGroup(ctx, store, selected, options.By)
	if err != nil {
		return g, err
	}
	return diff.ClusterRuns(ctx, runs, options)
}

// diffGroupFlags returns what to compare, and the matrix to print, "" for none. It returns an error for flags that
// apply to two runs only.
func diffGroupFlags(c *cli.Context, limits diff.Limits) (o diff.GroupOptions, matrix string, err error) {
	for _, name := range []string{"other", "all", "gap"} {
		if c.IsSet(name) {
			return o, "", schema.Hint(fmt.Errorf("--%s together with --group", name),
				"a group is compared within one store, by --cosine and --agreement; leave --%s out", name)
		}
	}
	if matrix = c.String("matrix"); c.IsSet("matrix") && !slices.Contains(matrices, matrix) {
		return o, "", schema.Hint(fmt.Errorf("unknown matrix %q", matrix), "the matrices are %s",
			strings.Join(matrices, ", "))
	}
	o.Limits = limits
	if c.IsSet("by") {
		if o.By, err = ParseKind(c.String("by")); err != nil {
			return o, "", err
		}
	}
	if matrix == string(diff.Purposes) && o.By == "" {
		o.By = diff.Purposes // options would be compared for nothing
	}
	if matrix == string(diff.Options) && o.By == diff.Purposes {
		return o, "", schema.Hint(fmt.Errorf("--matrix options together with --by purposes"), "leave --by out")
	}
	o.Draws, err = parseDraws(c)
	return o, matrix, err
}

// ParseKind parses what of a group is compared.
func ParseKind(text string) (diff.Kind, error) {
	kind := diff.Kind(text)
	if kind != diff.Options && kind != diff.Purposes {
		return "", schema.Hint(fmt.Errorf("--by %q", text), "write options or purposes")
	}
	return kind, nil
}

func parseDraws(c *cli.Context) (int, error) {
	if !c.IsSet("draws") {
		return 0, nil
	}
	n, err := strconv.Atoi(textform.PlainInteger(c.String("draws")))
	if err != nil || n < 1 || n > mostDraws {
		return 0, schema.Hint(fmt.Errorf("--draws %q", c.String("draws")), "give a whole number from 1 to %d", mostDraws)
	}
	return n, nil
}

func printGroup(c *cli.Context, g diff.Clustering, matrix string) error {
	w, format := c.App.Writer, c.String("format")
	switch {
	case c.Bool("json"):
		return cmdline.PrintJSON(w, g)
	case matrix == "iterations":
		return agreementTable(g).Print(w, format)
	case matrix != "":
		return printMatrix(w, g, matrix, format)
	case format != table.Formats[0]:
		return distinctTable(g, g.Distinct()).Print(w, format)
	}
	for _, sentence := range strings.Split(g.Verdict, "\n") {
		table.PrintProse(w, "%s", sentence)
	}
	for _, note := range g.Notes {
		table.PrintProse(w, "note: %s", textform.EscapeLine(note))
	}
	return printEvidence(w, g)
}

// printMatrix prints a matrix with a column for each run, and as text what its numbers are.
func printMatrix(w io.Writer, g diff.Clustering, matrix, format string) error {
	t := similarityTable(g)
	switch matrix {
	case string(diff.Purposes):
		t = foundTable(g, diff.Purposes, g.Purposes)
	case string(diff.Options):
		t = foundTable(g, g.By, g.Distinct())
	}
	err := t.Print(w, format)
	if err == nil && format == table.Formats[0] {
		printMatrixNote(w, g, matrix)
	}
	return err
}
