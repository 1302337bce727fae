package command

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
)

// shownEntries is the number of entries of a vector that a table shows.
const shownEntries = 16

// printPurposes prints the eigenpurposes of a run that has no options.
func printPurposes(w table.Text, d report.Detail) {
	for _, it := range d.History {
		if len(it.Eigenpurposes) == 0 {
			continue
		}
		g := table.New(table.Right("j"), table.Right("σ"), table.Left("eigenpurpose"))
		for _, e := range it.Eigenpurposes {
			g.Add(fmt.Sprint(e.J), table.Number(&e.Sigma, 3), vectorText(e.Vector))
		}
		w.TableBelow(g)
	}
}

// vectorText returns the first entries of a vector in feature order, with a fixed width, so that
// vectors align in a column.
func vectorText(vector []float64) string {
	var b strings.Builder
	for i, x := range vector {
		if i == shownEntries {
			fmt.Fprintf(&b, "  … %d in all", len(vector))
			break
		}
		fmt.Fprintf(&b, "%8s", textform.FormatNumber(x, 4))
	}
	return b.String()
}
