package command

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	diffcmd "github.com/podtrack/podtrack/cmd/podtrack/internal/command/diff"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
)

// printCounterfactual prints what would have been without the option: sentences that sum it up, the measures of both
// runs, then how they differ by iteration.
func printCounterfactual(c *cli.Context, run *diff.Run, x counterfactual) error {
	w := c.App.Writer
	kept := "; --keep keeps it"
	switch {
	case x.Kept && x.Name == "":
		kept = ", which is kept"
	case x.Kept:
		kept = ", which is kept as " + x.Name
	}
	table.PrintWrapped(w, "%s without option %d (%s) from iteration %d on: run %.12s%s\n", run.Label(), x.Number, x.Option,
		x.From, x.Run, kept)
	printVerdictWithout(w, x)
	if err := printMeasuresWithout(w, x.Measures); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := diffcmd.Print(w, x.Diff); err != nil {
		return err
	}
	if x.Diff.Identical {
		return nil
	}
	_, err := fmt.Fprintf(w, "a: %s, b: the same without option %d\n", run.Label(), x.Number)
	return err
}

// printVerdictWithout prints from which iteration on the runs differ, and how many of the later
// purposes stay the same.
func printVerdictWithout(w io.Writer, x counterfactual) {
	if x.Diff.Divergence == nil {
		table.PrintProse(w, "Nothing that was recorded differs without the option.")
		return
	}
	table.PrintProse(w, "Without the option the run differs from iteration %d on, stage %s.", x.Diff.Divergence.K,
		x.Diff.Divergence.Stage)
	switch l := x.Later; {
	case l.Purposes == 0:
		table.PrintProse(w, "The run selects no later purpose.")
	default:
		similar := ""
		if l.Similarity != nil {
			similar = fmt.Sprintf("; the options of these have a mean similarity of %.3f", *l.Similarity)
		}
		table.PrintProse(w, "Of its %s, both signs counted, %d %s the same without it (|cos_M| ≥ %.3g)%s.",
			cmdline.Plural(l.Purposes, "later purpose"), l.Same, isOrAre(l.Same), l.Threshold, similar)
	}
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// measuresShown are the measures that say where the agent got.
var measuresShown = []string{"distance", "states_visited", "calls", "option_length"}

// printMeasuresWithout prints measures of the last iteration, and their means over all that can differ.
func printMeasuresWithout(w io.Writer, all []measuresWithout) error {
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	g := table.New(table.Left("measure"), table.Right("with it"), table.Right("without it"), table.Right("mean with it"),
		table.Right("mean without it"))
	for _, name := range measuresShown {
		a, b := valueOf(last.With, name), valueOf(last.Without, name)
		if a == nil && b == nil {
			continue
		}
		meanA := meanMeasure(all, func(m measuresWithout) *float64 { return valueOf(m.With, name) })
		meanB := meanMeasure(all, func(m measuresWithout) *float64 { return valueOf(m.Without, name) })
		digits := 0
		if name == "option_length" {
			digits = 1
		}
		title, _ := schema.MeasureTitle(name)
		g.Add(title, table.Number(a, digits), table.Number(b, digits), table.Number(meanA, 1),
			table.Number(meanB, 1))
	}
	if len(g.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	table.PrintProse(w, "Of iteration %d, the last; means over %s. One run each: how much of a difference is the "+
		"option's and how much is chance, two runs cannot tell.", last.K, iterationsText([2]int{all[0].K, last.K}))
	return nil
}

// valueOf returns a measure by its name, nil if it is not defined or was pruned.
func valueOf(m *schema.Measures, name string) *float64 {
	if m == nil {
		return nil
	}
	x, _ := m.Get(name)
	return x
}

// meanMeasure returns the mean of the values that are defined, nil if none is.
func meanMeasure(all []measuresWithout, of func(measuresWithout) *float64) *float64 {
	sum, n := 0.0, 0.0
	for _, m := range all {
		if x := of(m); x != nil {
			sum, n = sum+*x, n+1
		}
	}
	if n == 0 {
		return nil
	}
	sum /= n
	return &sum
}
