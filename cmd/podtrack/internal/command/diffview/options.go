package diffview

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// PrintOptionDiff prints a report on two options.
func PrintOptionDiff(w table.Text, r diff.OptionReport) {
	printSpecs(w, r.Spec)
	g := table.New(table.Left("feature"), table.Right(r.Pair.A), table.Right(r.Pair.B))
	for i, name := range r.Features {
		g.Add(name, fmt.Sprintf("%.4f", r.VectorA[i]), fmt.Sprintf("%.4f", r.VectorB[i]))
	}
	w.Table(g)
	p := r.Pair
	w.Blank()
	w.Fact("cos_M", "%s (chance level: mean |cos_M| %.2f, 95th percentile %.2f; same purpose from %.3g on)",
		shareText(p.Cosine), r.Chance.Mean, r.Chance.P95, r.Threshold)
	w.Fact("σ", "%s and %s, change %s", textfmt.FormatNumber(p.SigmaA, 4),
		textfmt.FormatNumber(p.SigmaB, 4), signed(p.SigmaChange(), 4))
	if p.BehaviourSimilarity != nil {
		printBehaviour(w, p.BehaviourSimilarity, r)
	}
	w.Prose("%s", verdictOf(diff.Comparison{Identical: r.Identical, Equivalent: r.Equivalent})+optionReason(r))
}

// optionReason returns why two options are different, "" if they are not.
func optionReason(r diff.OptionReport) string {
	switch {
	case r.Equivalent:
		return ""
	case !r.Pair.Matched:
		return fmt.Sprintf(": cos_M is under %.3g", r.Threshold)
	}
	return fmt.Sprintf(": the options' similarity is under %.3g", r.Agreement)
}

func printBehaviour(w table.Text, l *diff.BehaviourSimilarity, r diff.OptionReport) {
	w.Fact("option", "similarity %s: of the visits to either I, the share with the same action and end state "+
		"(same option from %.3g on)", shareText(l.Similarity), r.Agreement)
	w.Fact("policy", "agrees in %s of the states of either I, %s with ties, %s weighted by visits",
		shareText(l.Policy), shareText(l.Ties), table.Number(l.Visits, 4))
	w.Fact("initiation", "Jaccard index %s", shareText(l.Jaccard))
	w.Fact("end state", "the same from %s of those states", shareText(l.Terminal))
	w.Fact("values", "RMSE %.3g, largest difference %.3g", l.RMSE, l.Largest)
	if l.Differing == 0 {
		return
	}
	var states strings.Builder
	for _, s := range l.States {
		fmt.Fprintf(&states, " %d (%s, %s)", s.State, actionText(s.A, r.Actions), actionText(s.B, r.Actions))
	}
	if l.Differing > len(l.States) {
		states.WriteString(" …")
	}
	w.Fact("different", "in %s:%s", cmdline.Plural(l.Differing, "state"), states.String())
}

// actionText returns the action's name, or ⊥ for termination.
func actionText(a int8, actions []string) string {
	if a < 0 {
		return "⊥"
	}
	return actions[a]
}

// signed returns a number with its sign.
func signed(x float64, digits int) string {
	text := textfmt.FormatNumber(x, digits)
	if strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}
