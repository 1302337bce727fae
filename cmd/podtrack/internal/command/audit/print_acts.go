package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

func printActs(w table.Text, r *why.Report) {
	a := r.Acts
	if a == nil {
		fmt.Fprintln(w, "\nThere is no model to learn an option in.")
		return
	}
	c, l := a.Certificate, a.Lengths
	switch {
	case a.Start == nil:
		w.Wrapped("\nIt acts in %d of %d states (%.1f %%) and stops in the rest.", c.Initiation, a.States,
			100*float64(c.Initiation)/float64(a.States))
	case c.Null:
		w.Wrapped("\nIt would start in state %s alone, of %d, but stops there.", a.StartName, a.States)
	default:
		w.Wrapped("\nIt starts in state %s alone, of %d.", a.StartName, a.States)
	}
	if a.DistinctEnd > 0 {
		w.Wrapped("steps to the end: mean %s, minimum %d, quartiles %d %d %d, 95 %% point %d, maximum %d",
			table.Number(c.Reach, 2), l.Min, l.Q25, l.Median, l.Q75, l.P95, l.Max)
		w.Wrapped("it ends in %s, most often in %s", textfmt.CountOf(a.DistinctEnd, "state"), endsText(a.Ends))
	}
	switch {
	case a.Never > 0 && a.Likely:
		w.Wrapped("by the likeliest outcomes it does not end from %s", textfmt.CountOf(a.Never, "state"))
	case a.Never > 0:
		w.Wrapped("it never ends from %s, unless a call is truncated", textfmt.CountOf(a.Never, "state"))
	}
	bound := "≤"
	if c.PeakQ > c.Tolerance {
		bound = "over"
	}
	null := ""
	if c.Null {
		null = ", numerically null"
	}
	w.Wrapped("certificate: termination %s, %s, q at the state of largest w %.3g %s tolerance %.3g%s",
		c.Termination, cyclesText(c), c.PeakQ, bound, c.Tolerance, null)
}

// cyclesText describes what a certificate states about cycles and truncated calls.
func cyclesText(c schema.Certificate) string {
	text := "no cycle"
	switch {
	case !c.Acyclic && c.Termination == schema.Unknown:
		text = "perhaps a cycle"
	case !c.Acyclic:
		text = "no cycle without a way out"
	}
	if c.MaxSteps > 0 {
		text += fmt.Sprintf(", calls are truncated after %s", textfmt.CountOf(int(c.MaxSteps), "step"))
	}
	return text
}

func endsText(ends []why.End) string {
	var parts []string
	for i, e := range ends[:min(len(ends), 5)] {
		from := fmt.Sprint(e.From)
		if i == 0 {
			from = textfmt.CountOf(e.From, "starting state")
		}
		parts = append(parts, fmt.Sprintf("%s (from %s)", e.Name, from))
	}
	return strings.Join(parts, ", ")
}

func printChain(w table.Text, r *why.Report) {
	var shown []why.Proof
	for i, p := range r.Chain {
		if len(r.Chain) <= 3*ShownRows || i < 2*ShownRows || i >= len(r.Chain)-3 || !p.Verified {
			shown = append(shown, p)
		}
	}
	w.TableBelow(table.Of(shown, table.Right("k"), table.Left("what").As("chain"), table.Left("digest").Digest(12),
		table.Left("verified"), table.Left("how").As("")))
	if left := len(r.Chain) - len(shown); left > 0 {
		w.Wrapped("%d links between them are not shown; all are verified", left)
	}
	if stages.LowestLevel(r.Levels) != schema.Recomputed {
		w.Wrapped("\nThe head proves: %s.", hints.ProvesText(r.Levels))
	}
}

// printReplayHint prints the command that also learns the option again, which an audit does not.
func printReplayHint(w table.Text, r *why.Report) {
	if r.Acts == nil {
		return
	}
	with := ""
	if i := slices.IndexFunc(r.Levels, func(l stages.Level) bool { return l.Stage == stages.Learn }); i >= 0 {
		with = hints.ProgramFlags([]string{r.Levels[i].Needs})
	}
	w.Wrapped("\n%s learns it again and compares every bit.", strings.TrimSpace(fmt.Sprintf(
		"podtrack replay %s:%d %s", textfmt.ShellQuote(strings.SplitN(r.Option, ":", 2)[0]), r.K, with)))
}
