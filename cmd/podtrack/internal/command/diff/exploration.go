package diff

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/explore"
)

// printExploration prints how two runs explored, with one row per iteration, if that was asked for.
func printExploration(w io.Writer, e *diff.Exploration) error {
	if e == nil {
		return nil
	}
	g := table.New(table.Right("k"), table.Right("covered a"), table.Right("covered b"), table.Right("covered by both"),
		table.Right("overlap of covered"), table.Right("entropy a"), table.Right("entropy b"), table.Right("end sets a"),
		table.Right("end sets b"))
	for k, s := range e.Shared {
		row := []string{fmt.Sprint(s.K)}
		row = append(row, both(e, "covered", k, 0)...)
		if s.Overlap == nil {
			row = append(row, table.None, table.None)
		} else {
			row = append(row, fmt.Sprint(s.States), table.Number(s.Overlap, 3))
		}
		row = append(row, both(e, "entropy", k, 3)...)
		g.Add(append(row, both(e, "end_sets", k, 0)...)...)
	}
	fmt.Fprintln(w)
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	fmt.Fprintln(w)
	table.PrintProse(w, "Steps until half of the states were visited: a %s, b %s. Overlap: states that both covered, as "+
		"a share of those that either did.", halfText(e.A), halfText(e.B))
	return nil
}

// both returns a measure of iteration k of both runs.
func both(e *diff.Exploration, measure string, k, digits int) []string {
	a, _ := e.A.Get(measure, k)
	b, _ := e.B.Get(measure, k)
	return []string{table.Number(a, digits), table.Number(b, digits)}
}

func halfText(r *explore.Run) string {
	switch {
	case r.States == nil:
		return "not known"
	case r.StepsToHalf == nil:
		return "not yet"
	}
	return fmt.Sprint(*r.StepsToHalf)
}
