package compare

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"

	"github.com/urfave/cli/v2"
)

const compareDescription = `Each argument names a group of runs: a filter of one or more terms in quotes, or
references; the first one is the baseline. With --by, all arguments are one filter,
whose runs are split by their values of some fields. Examples:

  podtrack compare 'reading=as-written hide=0' 'reading=as-published hide=0' --paired seed
  podtrack compare hide=3 --by kappa --measure distance

b − a is the difference of the means. With --paired it is the mean difference of
the runs that have the same value of that field; runs without a partner are left
out of it. P(b > a) is the probability that a run of b has more than a run of a, a
tie counting as half. Intervals are 95 %: of the difference Welch's t, or Student's
t of the pairs; of P(b > a) Newcombe's score method. With more than two groups all
intervals of a measure and iteration hold together (Bonferroni), and p-values are
adjusted for the number of groups (Holm). Undefined measures are left out, and n
says so.`

// PairedFlag returns the flag --paired.
func PairedFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "paired", "pair the runs that have the same `FIELD` of the spec, such as seed", "")
}

// BaselineFlag returns the flag --baseline.
func BaselineFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "baseline", "with --by: compare with the group that has these `VALUES`, such as "+
		"1 or 1,as-written", "the first")
}

// printComparison prints what was compared, then the results.
func printComparison(w table.Text, c group.Comparison, shown iterations) {
	w.Wrapped("a: %s, %s", cmdline.Plural(len(c.A.Runs), "run"), c.A.Filter)
	w.Wrapped("b: %s, %s", cmdline.Plural(len(c.B.Runs), "run"), c.B.Filter)
	w.Blank()
	printWhatDiffers(w, specGrid(c), ComparisonNotes(c))
	w.Table(comparisonGrid(c, false, shown))
	difference := "the difference of the means"
	if c.Pairing != nil {
		difference = "the mean difference of the pairs"
	}
	w.Blank()
	w.Prose("b − a is %s; P(b > a) is over all pairs (run in a, run in b), a tie counting one half.",
		difference)
	w.Prose("Intervals, %g %%: of b − a %s, of P(b > a) %s.", 100*c.Level, c.Intervals.Difference,
		c.Intervals.Improvement)
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
	notes = append(notes, environmentNotes(c.Environments)...)
	if len(c.Both) > 0 {
		notes = append(notes, sharedNote("both", c.Both))
	}
	if p := c.Pairing; p != nil {
		notes = append(notes, pairingNotes("Paired", "b", *p)...)
	}
	notes = append(notes, lackNotes("a: ", c.A.Lacks)...)
	notes = append(notes, lackNotes("b: ", c.B.Lacks)...)
	var measures []string
	for _, m := range c.Measures {
		measures = append(measures, m.Measure)
	}
	return append(notes, censoredNotes(measures)...)
}
