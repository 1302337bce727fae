package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// whySection prints a part of an audit, under a heading where the output has headings.
type whySection struct {
	stage   why.Stage
	heading string // "" to go on under the one before
	print   func(table.Text, *why.Report)
}

// whySections are the parts of an audit in their order.
var whySections = []whySection{
	{why.StagePurpose, "Eigenpurpose", printPurpose},
	{why.StagePurpose, "Data", printEvidence},
	{why.StageSources, "What was executing", printSources},
	{why.StageAncestors, "Ancestors", func(w table.Text, r *why.Report) { PrintRelatives(w, "ancestor", r.Ancestors) }},
	{why.StageActs, "What the option does", printActs},
	{why.StageChain, "Chain", printChain},
	{why.StageChain, "", printReplayHint},
}

// PrintStage prints what a stage of an audit found.
func PrintStage(w table.Text, stage why.Stage, r *why.Report) {
	for _, s := range whySections {
		if s.stage == stage {
			s.print(w, r)
		}
	}
}

func printPurpose(w table.Text, r *why.Report) {
	p := r.Purpose
	fmt.Fprintf(w, "%s", r.Option)
	if r.Number != nil {
		fmt.Fprintf(w, ", option %d of run %.12s", *r.Number, r.Run)
	}
	sign := "+"
	if p.Sign < 0 {
		sign = "−"
	}
	w.Wrapped("\n\neigenpurpose %d%s of iteration %d, %s: σ %s, %s", p.J, sign, r.K, originText(p),
		textfmt.FormatNumber(p.Sigma, 4), selectedText(p))
	if p.DirectionsFrom == "" {
		w.Wrapped("%s", gapText(p))
	}
	for _, warning := range p.Warnings {
		w.Wrapped("note: %s", warning)
	}
	w.Blank()
	shown := largestEntries(p.Vector, shownFeatures)
	if p.Method.IsOnStates() { // most of which can be 0
		shown = slices.DeleteFunc(shown, func(i int) bool { return p.Vector[i] == 0 })
	}
	w.Table(table.Of(shown, table.Value(table.Left("feature"), func(i *int) any { return p.Features[*i] }),
		table.Value(table.Right("weight").Digits(4), func(i *int) any { return p.Vector[*i] })))
	if n := len(p.Features) - len(shown); n > 0 {
		w.Wrapped("… and %d more features of less weight, which %s has", n, allOf(w))
	}
}

// shownFeatures is the maximum number of features to list. An environment with one feature per
// state has many more.
const shownFeatures = 24

// largestEntries returns the indices of the n entries of largest magnitude, in ascending order.
func largestEntries(vector []float64, n int) []int {
	all := make([]int, len(vector))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(math.Abs(vector[j]), math.Abs(vector[i])) })
	all = all[:min(n, len(all))]
	slices.Sort(all)
	return all
}

// selectedText describes how the eigenpurpose was selected.
func selectedText(p why.Purpose) string {
	if p.SelectedBy != "" {
		return "selected by " + p.SelectedBy
	}
	rule, err := p.Select.ParseRule()
	text := ""
	if err == nil && rule.UsesKappa() {
		above := fmt.Sprintf("%s above κ %v", textfmt.FormatNumber(p.Margin, 4), p.Kappa)
		if rule.By.KeepsSmall() {
			above = fmt.Sprintf("%s under κ %v", textfmt.FormatNumber(0-p.Margin, 4), p.Kappa)
		}
		if rule.By == schema.BySigma {
			return above
		}
		text = fmt.Sprintf("%s %s, ", rule.By.Symbol(), above)
	}
	return fmt.Sprintf("%sselected by %s", text, p.Select)
}

// gapText describes the gaps to the neighbouring singular values.
func gapText(p why.Purpose) string {
	var parts []string
	for _, gap := range []struct {
		size  *float64
		where string
	}{{p.GapAbove, "above"}, {p.GapBelow, "below"}} {
		if gap.size != nil {
			parts = append(parts, fmt.Sprintf("%s %s", textfmt.FormatNumber(*gap.size, 4), gap.where))
		}
	}
	if len(parts) == 0 {
		return "it has no neighbours: D has one feature"
	}
	return fmt.Sprintf("gap to its neighbours: %s; the smallest gap is %.3g %% of σ", strings.Join(parts, ", "),
		100*p.Lowest)
}

func printEvidence(w table.Text, r *why.Report) {
	d := r.Dataset
	if r.Purpose.Method.HasMatrix() {
		of := textfmt.CountOf(int(d.Rows), "state")
		if m := r.Purpose.Method; m == schema.Counts || !m.IsOnStates() {
			of = textfmt.CountOf(int(d.Rows), "row")
		}
		w.Wrapped("\nThe data: the %s matrix of %s, from the steps of %s; factors record %.12s",
			r.Purpose.Method, of, iterationsText(d.Iterations), d.Digest)
	} else {
		w.Wrapped("\nThe data: %d rows of D, %d of them distinct, from %s; factors record %.12s", d.Rows,
			d.Distinct, iterationsText(d.Iterations), d.Digest)
	}
	row, rows := "row of D", "rows"
	if r.Purpose.Method.HasMatrix() {
		row, rows = "transition", "transitions"
	}
	PrintFirst(w, r.Evidence, rows,
		table.Value(table.Left(row), func(e *why.Evidence) any { return transitionText(r.Purpose.Features, *e) }),
		table.Right("product").As("reward").Digits(4), table.Right("count"), table.Right("share").Digits(4),
		table.Right("support").Digits(4),
		table.Format(table.Left("steps").As("first at").Optional(1), stepsText),
		table.Format(table.Left("steps").As("executing").Optional(2), executingText))
	if text, ok := shareTexts[r.Purpose.Method]; ok {
		if r.Purpose.PsiPart == schema.SymmetricPart {
			text = shareOfSymmetricText
		}
		w.Wrapped("%s\n%s", text, firstAtText)
		return
	}
	squared := ""
	switch {
	case r.Purpose.DirectionsFrom != "":
		squared = ", e being the direction"
	case r.Purpose.Basis == schema.RightSingular && r.Purpose.Scale == schema.RMS:
		squared = ", which is σ² times a constant"
	case r.Purpose.Basis == schema.RightSingular:
		squared = ", which is σ²"
	}
	w.Wrapped("share: part of Σ(row·e)² over D%s; support: the same over the rows that this sign rewards\n%s",
		squared, firstAtText)
}

const firstAtText = "first at: iteration:step; executing: what the agent was executing in the first of them"

func printSources(w table.Text, r *why.Report) {
	factors := r.Purpose.DirectionsFrom == "" // and D can be factored without some of its steps
	for _, part := range []struct {
		title, none string
		sources     []why.Source
	}{{"executing", "", r.Sources}, {"last completed", "no option yet", r.After}} {
		if len(part.sources) == 0 {
			continue
		}
		columns := []table.Column{
			table.Format(table.Left("source").As(part.title), func(of string) string { return cmp.Or(of, part.none) }),
			table.Right("number").As("#"), table.Right("steps"), table.Right("share").Digits(4),
			table.Right("support").Digits(4),
		}
		if factors {
			columns = append(columns, WithoutColumns...)
		}
		PrintFirst(w, part.sources, "sources", columns...)
	}
	if len(r.Sources) == 0 {
		w.Wrapped("\nThe rows were recorded elsewhere: it is not known what was executing.")
		return
	}
	w.Wrapped("executing: an option, or a primitive action outside of any; " +
		"last completed: the last option that ended before, in its iteration")
	if !factors {
		return
	}
	w.Wrapped("nearest: largest |cos_M| with a %s without those steps; its σ, and whether it would be selected",
		directionText(r.Purpose.Basis))
}

// WithoutColumns are the columns about D without a source's steps: "–" if nothing is left of D, "…" if that was not
// computed.
var WithoutColumns = []table.Column{
	table.Format(table.Right("without").As("without it: nearest").Or("…"),
		func(a why.Ablation) string { return leftText(a, a.Cosine, 4) }),
	table.Format(table.Right("without").As("σ").Or("…"), func(a why.Ablation) string { return leftText(a, a.Sigma, 3) }),
	table.Left("without.selected").As("selected").Or("…"),
}

func leftText(a why.Ablation, x float64, digits int) string {
	if a.J == 0 {
		return table.None
	}
	return textfmt.FormatNumber(x, digits)
}

// PrintRelatives prints options from which another one descends, or the other way round.
func PrintRelatives(w table.Text, what string, all []why.Ancestor) {
	if len(all) == 0 {
		return
	}
	PrintFirst(w, all, what+"s",
		table.Opens(table.Left("option").As(what),
			func(a *why.Ancestor) []string { return []string{"why", a.Option} }),
		table.Right("number").As("#"), table.Right("depth"),
		table.Right("share").Digits(4), table.Right("influence").Digits(4))
	of := "the evidence"
	if what == "descendant" {
		of = "the descendant's evidence"
	}
	w.Wrapped("influence: part of %s that goes through it, over all paths of options", of)
}

// ShownRows is the number of rows of a long table that an audit prints; --json has all.
const ShownRows = 10

// originText describes which vector of the factors a purpose is.
func originText(p why.Purpose) string {
	switch {
	case p.DirectionsFrom != "":
		return "a direction of " + p.DirectionsFrom
	case p.Method.FindsPair() && p.Sign > 0:
		return "1 in the state where the Fiedler vector is largest"
	case p.Method.FindsPair():
		return "1 in the state where the Fiedler vector is smallest"
	case p.Scale == schema.RMS && p.Basis != schema.Random:
		return "a " + directionText(p.Basis) + " of D with scaled features, scaled back"
	}
	return "a " + directionText(p.Basis)
}

func directionText(b schema.Basis) string {
	switch b {
	case schema.RightSingular:
		return "row of Vᵀ"
	case schema.Random:
		return "random direction"
	case schema.Posterior:
		return "direction drawn from the posterior"
	}
	return "row of V"
}

// PrintFirst prints a table of the first of some rows, and how many more there are.
func PrintFirst[T any](w table.Text, rows []T, what string, columns ...table.Column) {
	w.TableBelow(table.Of(rows[:min(len(rows), ShownRows)], columns...))
	if more := len(rows) - ShownRows; more > 0 {
		w.Wrapped("… and %d more %s, which %s has", more, what, allOf(w))
	}
}

// allOf returns the flag or the command that prints everything an audit found.
func allOf(w table.Text) string {
	if page, ok := w.Writer.(*document.Page); ok && page.All != "" {
		return page.All
	}
	return "--json"
}

// iterationsText returns an inclusive range of iterations in words.
func iterationsText(i [2]int) string {
	if i[0] == i[1] {
		return fmt.Sprintf("iteration %d", i[0])
	}
	return fmt.Sprintf("iterations %d to %d", i[0], i[1])
}

// shareTexts define share and support for the methods with a matrix.
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

const shareOfSymmetricText = "share: part of eᵀΨe, which is σ or −σ, that the steps put into Ψ, as later updates " +
	"passed it on;\nsupport: part of Σ(e(s') − e(s))² over the steps that this sign rewards"

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

func stepsText(steps []why.StepRef) string {
	parts := textfmt.Map(steps, func(at why.StepRef) string { return fmt.Sprintf("%d:%d", at.K, at.Step) })
	return cmp.Or(strings.Join(parts, " "), table.None)
}
