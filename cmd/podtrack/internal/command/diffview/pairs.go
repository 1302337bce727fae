package diffview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
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
	for _, only := range []struct {
		side string
		refs []string
	}{{"a", it.OnlyA}, {"b", it.OnlyB}} {
		if len(only.refs) > 0 {
			w.Wrapped("only %s has: %s", only.side, strings.Join(only.refs, " "))
		}
	}
	for _, cl := range it.Clusters {
		w.Wrapped("nearly equal σ: %s of a, %s of b; single directions are arbitrary, "+
			"the lowest cosine between their subspaces is %.3f%s",
			directionList(cl.A), directionList(cl.B), cl.Cosine, sameText(cl.Equivalent))
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
	return fmt.Sprintf("chance level in %s: mean %.2f, 95th percentile %.2f", cmdline.Plural(it.Dimensions, "dimension"),
		it.Chance.Mean, it.Chance.P95)
}

// printReachable warns of a threshold that many random sets reach.
func printReachable(w table.Text, chance diff.ChanceLevel, threshold float64) {
	if chance.Draws > 0 && chance.P95 >= threshold {
		w.Wrapped("5 %% of the best matches of random sets reach %.2f, which is above the threshold: raise "+
			"--cosine.", chance.P95)
	}
}

func sameText(equivalent bool) string {
	if equivalent {
		return ": the same"
	}
	return ""
}

// directionList formats a list of directions.
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
		parts = append(parts, cmdline.Plural(alone, "purpose")+" without a match")
	}
	if unlike > 0 {
		parts = append(parts, fmt.Sprintf("%s of the same purpose with options of a similarity under %.3g",
			cmdline.Plural(unlike, "pair"), it.Agreement))
	}
	if it.Equivalent || len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// PairTable returns a table of pairs of the runs. If short, references leave out the runs, which the title of
// a single comparison names.
func PairTable(iterations []diff.Comparison, short bool, runs ...schema.Digest) *table.Table {
	whole := report.WholeRefs(runs...)
	g := table.New(table.Left("a").Refs(whole), table.Right("#").CSV("number a").Optional(10), table.Left("b").Refs(whole),
		table.Right("#").CSV("number b").Optional(10), table.Right("cos_M"), table.Left("same"),
		table.Right("σ a").Optional(9), table.Right("σ b").Optional(9), table.Right("option similarity"),
		table.Right("policy"), table.Right("with ties").Optional(6),
		table.Right("visited").Optional(5), table.Right("initiation overlap").CSV("I").Optional(7),
		table.Right("same end state").CSV("ends").Optional(4), table.Right("value rmse").Optional(3),
		table.Right("rmse visited").Optional(2), table.Right("max").Optional(1))
	for _, it := range iterations {
		for _, p := range it.Pairs {
			g.Add(append([]string{shortened(p.A, short), table.Number(p.NumberA, 0), shortened(p.B, short),
				table.Number(p.NumberB, 0)}, pairCells(p)...)...)
		}
		if short {
			g.Columns[0].Title, g.Columns[2].Title = it.A, it.B
		}
	}
	return g
}

func shortened(ref string, short bool) string {
	if _, option, found := strings.Cut(ref, "/"); short && found {
		return option
	}
	return ref
}

func pairCells(p diff.Pair) []string {
	same := "no"
	if p.Matched {
		same = "yes"
	}
	cells := []string{shareText(p.Cosine), same, table.Number(&p.SigmaA, 3), table.Number(&p.SigmaB, 3)}
	if p.BehaviourSimilarity == nil {
		return append(cells, slices.Repeat([]string{table.None}, 9)...)
	}
	return append(cells, shareText(p.Similarity), shareText(p.Policy), shareText(p.Ties), table.Number(p.Visits, 4),
		shareText(p.Jaccard), shareText(p.Terminal), fmt.Sprintf("%.2g", p.RMSE), shortNumber(p.Visited),
		fmt.Sprintf("%.2g", p.Largest))
}

func shortNumber(x *float64) string {
	if x == nil {
		return table.None
	}
	return fmt.Sprintf("%.2g", *x)
}

// shareText formats a share. It never rounds a smaller value up to 1.
func shareText(x float64) string {
	if x < 1 {
		x = min(x, 0.9999)
	}
	return fmt.Sprintf("%.4f", x)
}

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
