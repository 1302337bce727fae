package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// shownRows is the number of rows of a long table that an audit prints; --json has all.
const shownRows = 10

func signText(sign int) string {
	if sign < 0 {
		return "−"
	}
	return "+"
}

func basisText(b schema.Basis) string { return "a " + directionText(b) }

// originText returns what a purpose is of the factors.
func originText(p why.Purpose) string {
	switch {
	case p.DirectionsFrom != "":
		return "a direction of " + p.DirectionsFrom
	case p.Method == schema.Covering && p.Sign > 0:
		return "1 in the state where the Fiedler vector is largest"
	case p.Method == schema.Covering:
		return "1 in the state where the Fiedler vector is smallest"
	case p.Scale == schema.RMS && p.Basis != schema.Random:
		return basisText(p.Basis) + " of D with scaled features, scaled back"
	}
	return basisText(p.Basis)
}

func directionText(b schema.Basis) string {
	switch b {
	case schema.RightSingular:
		return "row of Vᵀ"
	case schema.Random:
		return "random direction"
	}
	return "row of V"
}

func more(w io.Writer, n int, what string) {
	if n > shownRows {
		table.PrintWrapped(w, "… and %d more %s, which %s has", n-shownRows, what, allOf(w))
	}
}

// allOf returns what has all that an audit found.
func allOf(w io.Writer) string {
	if _, ok := w.(*audit.Page); ok {
		return "podtrack check FILE --json"
	}
	return "--json"
}

func iterationsText(i [2]int) string {
	if i[0] == i[1] {
		return fmt.Sprintf("iteration %d", i[0])
	}
	return fmt.Sprintf("iterations %d to %d", i[0], i[1])
}

// shareTexts are the texts on what shares are parts of, for methods with a matrix.
var shareTexts = map[schema.Method]string{
	schema.Laplacian: "share: part of Σ(e(s)/√d(s) + e(s')/√d(s'))² over the observed pairs of states, which is σ;\n" +
		"d(s) is how many neighbours s has; support: part of Σ(e(s') − e(s))² over the steps that this sign rewards",
	schema.Successor: "share: part of Σ(Ψe)², which is σ², that the steps put into Ψ, as later updates passed it on;\n" +
		"support: part of Σ(e(s') − e(s))² over the steps that this sign rewards",
	schema.SuccessorFeatures: "share: part of Σ(ψe)² over the observations, which is σ², that the steps put into ψ, as " +
		"later updates passed it on;\nsupport: part of Σ(row·e)² over the steps that this sign rewards",
	schema.Covering: "share: part of Σ(v(s) − v(s'))² over the observed pairs of states, v being the Fiedler vector; it " +
		"is λ, but for pairs that were discovered before;\n" +
		"support: part of Σ(e(s') − e(s))² over the steps that this sign rewards",
	schema.Counts: "share: part of Σ 1/n(s), which is σ², n(s) being how often s was visited: 1/n(s)² for each visit;\n" +
		"support: part of Σ(e(s') − e(s))² over the steps that this sign rewards",
}

// transitionText returns what a piece of evidence is: a row of D, or the states of a transition.
func transitionText(features []string, e why.Evidence) string {
	if e.From == nil || e.To == nil {
		return rowText(features, e.Row)
	}
	return features[*e.From] + " → " + features[*e.To]
}

// rowText returns the features that change in a row, with their changes.
func rowText(features []string, row []float64) string {
	var parts []string
	for i, x := range row {
		if x != 0 {
			parts = append(parts, fmt.Sprintf("%s %+.3g", features[i], x))
		}
	}
	if len(parts) > 6 {
		parts = append(parts[:6], fmt.Sprintf("… (%d)", len(parts)))
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing changes")
}

// executingText returns what the agent was executing in the first of some steps.
func executingText(steps []why.StepRef) string {
	switch {
	case len(steps) == 0:
		return table.None
	case steps[0].Number != nil:
		return fmt.Sprintf("#%d", *steps[0].Number)
	}
	return steps[0].Executing
}

// shownWalk is the number of steps before and after a step that a link to the walk shows.
const shownWalk = 50

// printWalkLink prints where the page shows the first step of the row of most weight.
func printWalkLink(w io.Writer, r *why.Report) error {
	if len(r.Evidence) == 0 || len(r.Evidence[0].Steps) == 0 {
		return nil
	}
	s := r.Evidence[0].Steps[0]
	table.PrintWrapped(w, "The walk around %d:%d is at /run/%.12s?k=%d&from=%d&to=%d on the page of podtrack serve.",
		s.K, s.Step, r.Run, s.K, max(s.Step-shownWalk, 0), s.Step+shownWalk)
	return nil
}

func stepsText(steps []why.StepRef) string {
	var parts []string
	for _, at := range steps {
		parts = append(parts, fmt.Sprintf("%d:%d", at.K, at.Step))
	}
	return cmp.Or(strings.Join(parts, " "), table.None)
}
