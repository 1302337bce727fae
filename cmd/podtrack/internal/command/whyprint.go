package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// whySection prints a part of an audit, under a heading where the output has headings.
type whySection struct {
	stage   why.Stage
	heading string // "" to go on under the one before
	print   func(io.Writer, *why.Report) error
}

// whySections are the parts of an audit in their order.
var whySections = []whySection{
	{why.StagePurpose, "Eigenpurpose", printPurpose},
	{why.StagePurpose, "Data", printEvidence},
	{why.StagePurpose, "", printWalkLink},
	{why.StageSources, "What was executing", printSources},
	{why.StageAncestors, "Ancestors", printAncestors},
	{why.StageActs, "What the option does", printActs},
	{why.StageChain, "Chain", printChain},
	{why.StageChain, "", printReplayHint},
}

// whyStateSections are the parts of an audit of what the option does in a state.
var whyStateSections = []whySection{
	{why.StagePurpose, "", printPurpose},
	{why.StageActs, "", printActs},
	{why.StageActs, "", printState},
	{why.StageChain, "", printChain},
	{why.StageChain, "", printReplayHint},
}

// printWhyStage prints what a stage of an audit found. For an audit of a state, it prints the
// option's behaviour there and leaves out the origin of its eigenpurpose.
func printWhyStage(w io.Writer, stage why.Stage, r *why.Report, ofState bool) error {
	sections := whySections
	if ofState {
		sections = whyStateSections
	}
	for _, s := range sections {
		if s.stage != stage {
			continue
		}
		if err := s.print(w, r); err != nil {
			return err
		}
	}
	return nil
}

func printPurpose(w io.Writer, r *why.Report) error {
	p := r.Purpose
	fmt.Fprintf(w, "%s", r.Option)
	if r.Number != nil {
		fmt.Fprintf(w, ", option %d of run %.12s", *r.Number, r.Run)
	}
	table.PrintWrapped(w, "\n\neigenpurpose %d%s of iteration %d, %s: σ %s, %s", p.J, signText(p.Sign), r.K,
		originText(p), textform.FormatNumber(p.Sigma, 4), selectedText(p))
	if p.DirectionsFrom == "" {
		table.PrintWrapped(w, "%s", gapText(p))
	}
	for _, warning := range p.Warnings {
		table.PrintWrapped(w, "note: %s", warning)
	}
	fmt.Fprintln(w)
	g := table.New(table.Left("feature"), table.Right("weight"))
	shown := largestEntries(p.Vector, shownFeatures)
	if p.Method.IsOnStates() { // most of which can be 0
		shown = slices.DeleteFunc(shown, func(i int) bool { return p.Vector[i] == 0 })
	}
	for _, i := range shown {
		g.Add(p.Features[i], textform.FormatNumber(p.Vector[i], 4))
	}
	err := g.Print(w, table.Formats[0])
	if n := len(p.Features) - len(shown); n > 0 {
		table.PrintWrapped(w, "… and %d more features of less weight, which %s has", n, allOf(w))
	}
	return err
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
		above := fmt.Sprintf("%s above κ %v", textform.FormatNumber(p.Margin, 4), p.Kappa)
		if rule.By.KeepsSmall() {
			above = fmt.Sprintf("%s under κ %v", textform.FormatNumber(0-p.Margin, 4), p.Kappa)
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
			parts = append(parts, fmt.Sprintf("%s %s", textform.FormatNumber(*gap.size, 4), gap.where))
		}
	}
	if len(parts) == 0 {
		return "it has no neighbours: D has one feature"
	}
	return fmt.Sprintf("gap to its neighbours: %s; the smallest gap is %.3g %% of σ", strings.Join(parts, ", "),
		100*p.Lowest)
}

func printEvidence(w io.Writer, r *why.Report) error {
	d := r.Dataset
	if r.Purpose.Method.HasMatrix() {
		of := cmdline.Plural(int(d.Rows), "state")
		if m := r.Purpose.Method; m == schema.Counts || !m.IsOnStates() {
			of = cmdline.Plural(int(d.Rows), "row")
		}
		table.PrintWrapped(w, "\nThe data: the %s matrix of %s, from the steps of %s; factors record %.12s\n",
			r.Purpose.Method, of, iterationsText(d.Iterations), d.Digest)
	} else {
		table.PrintWrapped(w, "\nThe data: %d rows of D, %d of them distinct, from %s; factors record %.12s\n", d.Rows,
			d.Distinct, iterationsText(d.Iterations), d.Digest)
	}
	row, rows := "row of D", "rows"
	if r.Purpose.Method.HasMatrix() {
		row, rows = "transition", "transitions"
	}
	g := table.New(table.Left(row), table.Right("reward"), table.Right("count"), table.Right("share"),
		table.Right("support"), table.Left("first at").Optional(1), table.Left("executing").Optional(2))
	for _, e := range r.Evidence[:min(len(r.Evidence), shownRows)] {
		g.Add(transitionText(r.Purpose.Features, e), textform.FormatNumber(e.Product, 4), fmt.Sprint(e.Count),
			fmt.Sprintf("%.4f", e.Share), fmt.Sprintf("%.4f", e.Support), stepsText(e.Steps), executingText(e.Steps))
	}
	if err := g.Print(w, table.Formats[0]); err != nil {
		return err
	}
	more(w, len(r.Evidence), rows)
	if text, ok := shareTexts[r.Purpose.Method]; ok {
		table.PrintWrapped(w, "%s\n%s", text, firstAtText)
		return nil
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
	table.PrintWrapped(w, "share: part of Σ(row·e)² over D%s; support: the same over the rows that this sign rewards\n%s",
		squared, firstAtText)
	return nil
}

const firstAtText = "first at: iteration:step; executing: what the agent was executing in the first of them"
