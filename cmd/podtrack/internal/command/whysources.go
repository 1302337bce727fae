package command

import (
	"cmp"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/why"
)

func printSources(w io.Writer, r *why.Report) error {
	factors := r.Purpose.DirectionsFrom == "" // and D can be factored without some of its steps
	for _, part := range []struct {
		title, none string
		sources     []why.Source
	}{{"executing", "", r.Sources}, {"last completed", "no option yet", r.After}} {
		if len(part.sources) == 0 {
			continue
		}
		g := table.New(table.Left(part.title), table.Right("#"), table.Right("steps"),
			table.Right("share"), table.Right("support"))
		if factors {
			g.Columns = append(g.Columns, table.Right("without it: nearest"), table.Right("σ"), table.Left("selected"))
		}
		for _, s := range part.sources[:min(len(part.sources), shownRows)] {
			row := []string{cmp.Or(s.Source, part.none), table.Number(s.Number, 0), fmt.Sprint(s.Steps),
				fmt.Sprintf("%.4f", s.Share), fmt.Sprintf("%.4f", s.Support)}
			if factors {
				row = append(row, withoutCells(s.Without)...)
			}
			g.Add(row...)
		}
		fmt.Fprintln(w)
		if err := g.Print(w, table.Formats[0]); err != nil {
			return err
		}
		more(w, len(part.sources), "sources")
	}
	if len(r.Sources) == 0 {
		table.PrintWrapped(w, "\nThe rows were recorded elsewhere: it is not known what was executing.")
		return nil
	}
	table.PrintWrapped(w, "executing: an option, or a primitive action outside of any; "+
		"last completed: the last option that ended before, in its iteration")
	if !factors {
		return nil
	}
	table.PrintWrapped(w,
		"nearest: largest |cos_M| with a %s without those steps; its σ, and whether it would be selected",
		directionText(r.Purpose.Basis))
	return nil
}

// withoutCells returns what D without a source's steps has, "–" where nothing is left of D, and "…"
// where it was not computed.
func withoutCells(w *why.Ablation) []string {
	switch {
	case w == nil:
		return []string{"…", "…", "…"}
	case w.J == 0:
		return []string{table.None, table.None, yesNo(w.Selected)}
	}
	return []string{table.Number(&w.Cosine, 4), table.Number(&w.Sigma, 3), yesNo(w.Selected)}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func printAncestors(w io.Writer, r *why.Report) error {
	if len(r.Ancestors) == 0 {
		return nil
	}
	g := table.New(table.Left("ancestor"), table.Right("#"), table.Right("depth"),
		table.Right("share"), table.Right("influence"))
	for _, a := range r.Ancestors[:min(len(r.Ancestors), shownRows)] {
		g.Add(a.Option, fmt.Sprint(a.Number), fmt.Sprint(a.Depth), fmt.Sprintf("%.4f", a.Share),
			fmt.Sprintf("%.4f", a.Influence))
	}
	fmt.Fprintln(w)
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	more(w, len(r.Ancestors), "ancestors")
	table.PrintWrapped(w, "influence: part of the evidence that goes through it, over all paths of options")
	return nil
}
