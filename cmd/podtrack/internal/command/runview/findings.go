package runview

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/findings"
	"github.com/podtrack/podtrack/schema/textform"
)

// PrintFindings prints what was found about a run, each with what to try.
func PrintFindings(w table.Text, found []findings.Finding) {
	for _, f := range found {
		PrintFinding(w, f, foundIn(f))
	}
}

func PrintFinding(w table.Text, f findings.Finding, where string) {
	w.Blank()
	w.Fact("finding", "%s%s", textform.EscapeLine(f.Text), where)
	label := "try"
	for _, r := range f.Remedies {
		w.Fact(label, "%s", textform.EscapeLine(r.Text))
		label = ""
	}
}

// foundIn returns in how many iterations something was found, in words, unless it is the only one.
func foundIn(f findings.Finding) string {
	if f.Of <= 1 {
		return ""
	}
	return fmt.Sprintf(" (iteration %d; so in %d of %d)", f.K, f.Iterations, f.Of)
}
