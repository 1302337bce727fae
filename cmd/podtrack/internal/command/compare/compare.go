package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

const compareDescription = `Each argument names a group of runs: a filter of one or more terms in quotes, or
references. An example:

  podtrack compare 'reading=as-written hide=0' 'reading=as-published hide=0' --paired seed

b − a is the difference of the means. With --paired it is the mean difference of
the runs that have the same value of that field; runs without a partner are left
out of it. P(b > a) is the probability that a run of b has more than a run of a, a
tie counting as half. Intervals are 95 % percentile bootstrap intervals, the same
each time. Undefined measures are left out, and n says so.`

// Command returns the command podtrack compare.
func Command() *cli.Command {
	return &cli.Command{
		Name:        "compare",
		Usage:       "compare the measures of two groups of runs",
		ArgsUsage:   "FILTER_A FILTER_B",
		Description: compareDescription,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), MeasureFlag(),
			PairedFlag(),
		},
		Action: compare,
	}
}

// PairedFlag returns the flag --paired.
func PairedFlag() cli.Flag {
	return &cli.StringFlag{Name: "paired", Usage: "pair the runs that have the same `FIELD` of the spec, such as seed"}
}

func compare(c *cli.Context) error {
	format, measures, err := groupFlags(c)
	if err != nil {
		return err
	}
	groups := Groups{Command: cmdline.NameOf(c), Filters: c.Args().Slice(), Measures: measures}
	if paired := c.String("paired"); c.IsSet("paired") {
		groups.Paired = &paired
	}
	comparison, err := CompareGroups(c.Context, cmdline.OpenStore(c), groups)
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return cmdline.PrintJSON(c.App.Writer, comparison)
	case format != table.Formats[0]:
		cmdline.PrintNotes(c.App.ErrWriter, ComparisonNotes(comparison))
		return comparisonGrid(comparison, format).Print(c.App.Writer, format)
	}
	return printComparison(c.App.Writer, comparison)
}

// Groups are two groups of runs to compare.
type Groups struct {
	Command  string // that compares them
	Filters  []string
	Paired   *string // the field by which to pair, nil for none
	Measures []string
}

// CompareGroups compares two groups.
func CompareGroups(ctx context.Context, store *tracker.Store, g Groups) (group.Comparison, error) {
	if len(g.Filters) != 2 {
		return group.Comparison{}, schema.Hint(fmt.Errorf("compare takes two groups of runs, not %d arguments",
			len(g.Filters)),
			"put each filter in quotes: %s 'seed=0-9 hide=0' 'seed=0-9 hide=3'", g.Command)
	}
	field := ""
	if g.Paired != nil {
		field = *g.Paired
	}
	if g.Paired != nil && field == "" {
		return group.Comparison{}, schema.Hint(errors.New("paired by which field?"), "seed is the usual one: --paired seed")
	}
	var a, b group.Group
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		a, b, err = group.SelectPair(tx, g.Filters[:1], g.Filters[1:])
		return err
	})
	if err != nil {
		return group.Comparison{}, err
	}
	return group.Compare(ctx, a, b, field, g.Measures)
}

// printComparison prints what was compared, then the results.
func printComparison(w io.Writer, c group.Comparison) error {
	fmt.Fprintf(w, "a: %s, %s\nb: %s, %s\n\n", cmdline.Plural(len(c.A.Runs), "run"), c.A.Filter,
		cmdline.Plural(len(c.B.Runs), "run"), c.B.Filter)
	if g := specGrid(c); len(g.Rows) > 0 {
		if err := g.Print(w, table.Formats[0]); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	notes := ComparisonNotes(c)
	cmdline.PrintNotes(w, notes)
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	if err := comparisonGrid(c, table.Formats[0]).Print(w, table.Formats[0]); err != nil {
		return err
	}
	difference, resampled := "the difference of the means", "runs"
	if c.Pairing != nil {
		difference, resampled = "the mean difference of the pairs", "pairs"
	}
	_, err := fmt.Fprintf(w,
		"\nb − a is %s; P(b > a) is over all pairs (run in a, run in b), a tie counting one half.\n"+
			"Intervals: percentile bootstrap, %d resamples of the %s.\n",
		difference, c.Resamples, resampled)
	return err
}

// specGrid returns a table of the fields in which the groups differ, followed by those that vary
// within a group.
func specGrid(c group.Comparison) *table.Table {
	g := table.New(table.Left("field"), table.Left("a"), table.Left("b"))
	for _, d := range c.Differs {
		g.Add(d.Field, listValues([]string{d.A}), listValues([]string{d.B}))
	}
	for _, v := range c.Varies {
		g.Add(v.Field, listValues(v.A), listValues(v.B))
	}
	return g
}

// ComparisonNotes returns notes that a reader needs to interpret the numbers.
func ComparisonNotes(c group.Comparison) []string {
	var notes []string
	if len(c.Differs)+len(c.Varies) == 0 {
		notes = append(notes, "All runs have the same spec.")
	}
	if len(c.Environments) > 0 {
		notes = append(notes, fmt.Sprintf("The environments are not all the same: they differ in %s.",
			strings.Join(c.Environments, ", ")))
	}
	if len(c.Both) > 0 {
		notes = append(notes, fmt.Sprintf("In both groups: %s.", listMembers(c.Both)))
	}
	if p := c.Pairing; p != nil {
		notes = append(notes, fmt.Sprintf("Paired by %s: %s.", p.Field, cmdline.Plural(p.Pairs, "pair")))
		notes = append(notes, aloneNotes("a", p.UnpairedA)...)
		notes = append(notes, aloneNotes("b", p.UnpairedB)...)
	}
	notes = append(notes, lackNotes("a: ", c.A.Lacks)...)
	return append(notes, lackNotes("b: ", c.B.Lacks)...)
}

func aloneNotes(name string, alone []group.Member) []string {
	if len(alone) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: without a partner: %s.", name, listMembers(alone))}
}
