package diff

import (
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/urfave/cli/v2"
)

// printOptionDiff prints a report on two options as text, or their pair as a table.
func printOptionDiff(c *cli.Context, r diff.OptionReport) error {
	w, format := c.App.Writer, c.String("format")
	if format != table.Formats[0] {
		return pairTable([]diff.Comparison{{Pairs: []diff.Pair{r.Pair}}}, false, r.RunA, r.RunB).Print(w, format)
	}
	if err := printSpecs(w, r.Spec); err != nil {
		return err
	}
	g := table.New(table.Left("feature"), table.Right(r.Pair.A), table.Right(r.Pair.B))
	for i, name := range r.Features {
		g.Add(name, fmt.Sprintf("%.4f", r.VectorA[i]), fmt.Sprintf("%.4f", r.VectorB[i]))
	}
	if err := g.Print(w, format); err != nil {
		return err
	}
	p := r.Pair
	fmt.Fprintln(w)
	table.PrintFact(w, "cos_M", "%s (chance level: mean |cos_M| %.2f, 95th percentile %.2f; same purpose from %.3g on)",
		shareText(p.Cosine), r.Chance.Mean, r.Chance.P95, r.Threshold)
	table.PrintFact(w, "σ", "%s and %s, change %s", textform.FormatNumber(p.SigmaA, 4),
		textform.FormatNumber(p.SigmaB, 4), signed(p.SigmaChange(), 4))
	table.PrintFact(w, "first in", "iterations %d and %d", p.FirstA, p.FirstB)
	if p.BehaviourSimilarity != nil {
		printBehaviour(w, p.BehaviourSimilarity, r)
	}
	table.PrintProse(w, "%s", verdictOf(diff.Comparison{Identical: r.Identical, Equivalent: r.Equivalent})+optionReason(r))
	return nil
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

func printBehaviour(w io.Writer, l *diff.BehaviourSimilarity, r diff.OptionReport) {
	table.PrintFact(w, "option", "similarity %s: of the visits to either I, the share with the same action and end state "+
		"(same option from %.3g on)", shareText(l.Similarity), r.Agreement)
	table.PrintFact(w, "policy", "agrees in %s of the states of either I, %s with ties, %s weighted by visits",
		shareText(l.Policy), shareText(l.Ties), table.Number(l.Visits, 4))
	table.PrintFact(w, "initiation", "Jaccard index %s", shareText(l.Jaccard))
	table.PrintFact(w, "end state", "the same from %s of those states", shareText(l.Terminal))
	table.PrintFact(w, "values", "RMSE %.3g, largest difference %.3g", l.RMSE, l.Largest)
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
	table.PrintFact(w, "different", "in %s:%s", cmdline.Plural(l.Differing, "state"), states.String())
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
	text := textform.FormatNumber(x, digits)
	if strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}
