package diffview

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// printIterations prints a table with one row per pair.
func printIterations(w table.Text, it diff.Comparison) {
	w.Table(PairTable([]diff.Comparison{it}, true))
	w.Blank()
	for i, only := range [][]string{it.OnlyA, it.OnlyB} {
		if len(only) > 0 {
			w.Wrapped("only %c has: %s", "ab"[i], strings.Join(only, " "))
		}
	}
	for _, cl := range it.Clusters {
		same := ""
		if cl.Equivalent {
			same = ": the same"
		}
		w.Wrapped("nearly equal σ: %s of a, %s of b; single directions are arbitrary, "+
			"the lowest cosine between their subspaces is %.3f%s",
			directionList(cl.A), directionList(cl.B), cl.Cosine, same)
	}
	if it.Cosine != nil {
		w.Wrapped("mean |cos_M| %.3f; %s; same purpose from %.3g on", *it.Cosine, chanceSentence(it), it.Threshold)
		w.Wrapped("subspace overlap above chance: %s (maximum possible %s)", table.Number(it.Overlap, 2),
			table.Number(it.MaxOverlap, 2))
	}
	printReachable(w, it.Chance, it.Threshold)
	w.Wrapped("%s", verdictOf(it)+reasons(it))
}

// chanceSentence describes the chance level of a comparison of sets that are not empty.
func chanceSentence(it diff.Comparison) string {
	if it.Chance.Draws == 0 {
		return "no chance level, since random sets of these sizes take too long"
	}
	return fmt.Sprintf("chance level in %s: mean %.2f, 95th percentile %.2f", textfmt.CountOf(it.Dimensions, "dimension"),
		it.Chance.Mean, it.Chance.P95)
}

// printReachable warns of a threshold that many random sets reach.
func printReachable(w table.Text, chance diff.ChanceLevel, threshold float64) {
	if chance.Draws > 0 && chance.P95 >= threshold {
		w.Wrapped("5 %% of the best matches of random sets reach %.2f, which is above the threshold: raise "+
			"--cosine.", chance.P95)
	}
}

func directionList(js []int) string {
	if len(js) == 0 {
		return "none"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(js), " ", ", "), "[]")
}

// reasons returns why two iterations are different, "" if they are not.
func reasons(it diff.Comparison) string {
	unlike := 0
	for _, p := range it.Pairs {
		if p.Matched && p.BehaviourSimilarity != nil && p.Similarity < it.Agreement {
			unlike++
		}
	}
	var parts []string
	if alone := len(it.OnlyA) + len(it.OnlyB); alone > 0 {
		parts = append(parts, textfmt.CountOf(alone, "purpose")+" without a match")
	}
	if unlike > 0 {
		parts = append(parts, fmt.Sprintf("%s of the same purpose with options of a similarity under %.3g",
			textfmt.CountOf(unlike, "pair"), it.Agreement))
	}
	if it.Equivalent || len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// PairTable returns a table of pairs of the runs. If short, references leave out the runs, which the title of
// a single comparison names.
func PairTable(iterations []diff.Comparison, short bool, runs ...schema.Digest) *table.Table {
	var rows []diff.Pair
	for _, it := range iterations {
		rows = append(rows, it.Pairs...)
	}
	a, b := "a", "b"
	shortened := func(ref string) string {
		if _, option, found := strings.Cut(ref, "/"); short && found {
			return option
		}
		return ref
	}
	if short {
		a, b = iterations[0].A, iterations[0].B
	}
	whole := report.WholeRefs(runs...)
	return table.Of(rows,
		table.Format(table.Left("a").As(a).Refs(whole), shortened),
		table.Right("number_a").As("#").CSV("number a").Optional(10),
		table.Format(table.Left("b").As(b).Refs(whole), shortened),
		table.Right("number_b").As("#").CSV("number b").Optional(10),
		table.Format(table.Right("cosine").As("cos_M"), shareText),
		table.Left("matched").As("same"),
		table.Right("sigma_a").As("σ a").Digits(3).Optional(9),
		table.Right("sigma_b").As("σ b").Digits(3).Optional(9),
		table.Format(table.Right("option_similarity").As("option similarity"), shareText),
		table.Format(table.Right("policy_agreement").As("policy"), shareText),
		table.Format(table.Right("policy_agreement_ties").As("with ties").Optional(6), shareText),
		table.Right("policy_agreement_visits").As("visited").Digits(4).Optional(5),
		table.Format(table.Right("initiation_jaccard").As("initiation overlap").CSV("I").Optional(7), shareText),
		table.Format(table.Right("terminal_agreement").As("same end state").CSV("ends").Optional(4), shareText),
		table.Format(table.Right("value_rmse").As("value rmse").Optional(3), shortNumber),
		table.Format(table.Right("value_rmse_visits").As("rmse visited").Optional(2), shortNumber),
		table.Format(table.Right("value_max").As("max").Optional(1), shortNumber))
}

func shortNumber(x float64) string { return fmt.Sprintf("%.2g", x) }

// shareText formats a share. It never rounds a smaller value up to 1.
func shareText(x float64) string {
	if x < 1 {
		x = min(x, 0.9999)
	}
	return fmt.Sprintf("%.4f", x)
}

// weights are the entries of two purposes for a feature.
type weights struct {
	Feature string
	A, B    float64
}

// PrintOptionDiff prints a report on two options.
func PrintOptionDiff(w table.Text, r diff.OptionReport) {
	printSides(w, r.Spec, specColumns...)
	p, weight := r.Pair, func(x float64) string { return fmt.Sprintf("%.4f", x) }
	var rows []weights
	for i, name := range r.Features {
		rows = append(rows, weights{name, r.VectorA[i], r.VectorB[i]})
	}
	w.Table(table.Of(rows, table.Left("Feature").As("feature"), table.Format(table.Right("A").As(p.A), weight),
		table.Format(table.Right("B").As(p.B), weight)))
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
	w.Fact("different", "in %s:%s", textfmt.CountOf(l.Differing, "state"), states.String())
}

// actionText returns the action's name, or ⊥ for termination.
func actionText(a int8, actions []string) string {
	if a < 0 {
		return "⊥"
	}
	return actions[a]
}

func signed(x float64, digits int) string {
	text := textfmt.FormatNumber(x, digits)
	if strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}
