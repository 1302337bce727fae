package groupview

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"

	"github.com/urfave/cli/v2"
)

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
	printWhatDiffers(w, specGrid(c), comparisonNotes(c))
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

// comparisonNotes returns notes that a reader needs to interpret the numbers.
func comparisonNotes(c group.Comparison) []string {
	var notes []string
	if len(c.Differs)+len(c.Varies) == 0 {
		notes = append(notes, "All runs have the same spec.")
	}
	notes = append(notes, environmentNotes(c.Environments)...)
	if len(c.Both) > 0 {
		notes = append(notes, sharedNote("both", c.Both))
	}
	if p := c.Pairing; p != nil {
		notes = append(notes, pairingNotes("Paired", "a", "b", *p)...)
	}
	notes = append(notes, lackNotes("a: ", c.A.Lacks)...)
	notes = append(notes, lackNotes("b: ", c.B.Lacks)...)
	var measures []string
	for _, m := range c.Measures {
		measures = append(measures, m.Measure)
	}
	return append(notes, censoredNotes(measures)...)
}

// Compare implements compare, with the values of --paired and --baseline.
func (s *Selection) Compare(c *cli.Context, paired, baseline *string) (a cmdline.Answer, err error) {
	if _, isStudy := report.StudyOf(c.Args().Slice()); isStudy && c.NArg() == 1 && s.by == nil {
		return compareStudy(c)
	}
	measures, err := group.ParseMeasures(s.measure)
	if err != nil {
		return a, err
	}
	groups := Groups{Command: cmdline.NameOf(c), Filters: c.Args().Slice(), Measures: measures, Paired: paired,
		By: s.by, Baseline: baseline}
	read, err := groups.read(c.Context, cmdline.OpenStore(c))
	if err != nil {
		return a, err
	}
	usual := "all"
	if len(read) > 2 && !table.WantsCSV(c) {
		usual = "last"
	}
	shown, err := s.iterations(usual, group.LastShared(read), group.Reach(read))
	if err != nil {
		return a, err
	}
	compared, err := groups.compare(c.Context, read)
	if err != nil {
		return a, err
	}
	return cmdline.Answer{
		JSON: compared.document(),
		Text: func(w table.Text) {
			if compared.Several != nil {
				printContrasts(w, *compared.Several, shown)
			} else {
				printComparison(w, *compared.Two, shown)
			}
		},
		Tables: func() table.List {
			cmdline.PrintNotes(c.App.ErrWriter, compared.Notes())
			return table.List{compared.grid(table.WantsCSV(c), shown)}
		},
	}, nil
}
