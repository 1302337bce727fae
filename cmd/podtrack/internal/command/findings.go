package command

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/findings"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// maxLookedAt is in how many runs of one command findings are looked for.
const maxLookedAt = 16

// lookForFindings looks for findings in the first of several runs.
func lookForFindings(tx *tracker.Tx, runs []report.Run) error {
	for i := range runs[:min(len(runs), maxLookedAt)] {
		if err := report.LoadFindings(tx, &runs[i]); err != nil {
			return err
		}
	}
	return nil
}

// printFindingsOfRuns prints each kind of finding once, as it is of the first run that has it.
func printFindingsOfRuns(w table.Text, runs []report.Run) {
	counts := map[findings.Kind]int{}
	var firsts []findings.Finding
	lookedAt := 0
	for _, r := range runs {
		if r.Findings != nil {
			lookedAt++
		}
		for _, f := range r.Findings {
			if counts[f.Kind]++; counts[f.Kind] == 1 {
				firsts = append(firsts, f)
			}
		}
	}
	for _, f := range firsts {
		printFinding(w, f, fmt.Sprintf(" (so in %d of %d runs)", counts[f.Kind], lookedAt))
	}
}

// printFindings prints what was found about a run, each with what to try.
func printFindings(w table.Text, found []findings.Finding) {
	for _, f := range found {
		printFinding(w, f, foundIn(f))
	}
}

func printFinding(w table.Text, f findings.Finding, where string) {
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
