package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// shownRows is how many rows of a long table of an audit are printed; --json has
// all of them.
const shownRows = 10

// printWhy is the audit as text, section by section.
func printWhy(w io.Writer, r *why.Report) error {
	for _, section := range []func(io.Writer, *why.Report) error{
		printPurpose, printEvidence, printSources, printAncestors, printActs, printState, printChain,
	} {
		if err := section(w, r); err != nil {
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
	fmt.Fprintf(w, "\n\neigenpurpose %d%s of iteration %d, %s: σ %.4f, %.4f above κ %v\n", p.J, signText(p.Sign), r.K, basisText(p.Basis), p.Sigma, p.Margin, p.Kappa)
	fmt.Fprintf(w, "gap to its neighbours: %s above, %s below; the smaller is %.3g %% of σ\n", number(p.GapAbove, 4), number(p.GapBelow, 4), 100*p.Lowest)
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "note: %s\n", warning)
	}
	fmt.Fprintln(w)
	g := &grid{columns: []string{"feature", ">weight"}}
	for i, name := range p.Features {
		g.add(name, fmt.Sprintf("%.4f", p.Vector[i]))
	}
	return g.print(w, formats[0])
}

func signText(sign int) string {
	if sign < 0 {
		return "−"
	}
	return "+"
}

func basisText(b schema.Basis) string {
	if b == schema.RightSingular {
		return "a row of Vᵀ"
	}
	return "a row of V"
}

func printEvidence(w io.Writer, r *why.Report) error {
	d := r.Dataset
	fmt.Fprintf(w, "\nThe data: %d rows of D, %d of them distinct, from %s; factors record %.12s\n\n", d.Rows, d.Distinct, iterationsText(d.Iterations), d.Digest)
	g := &grid{columns: []string{"row of D", ">reward", ">count", ">share", ">support", "first at"}}
	for _, e := range r.Evidence[:min(len(r.Evidence), shownRows)] {
		g.add(rowText(r.Purpose.Features, e.Row), fmt.Sprintf("%.4f", e.Product), fmt.Sprint(e.Count), fmt.Sprintf("%.4f", e.Share), fmt.Sprintf("%.4f", e.Support), stepsText(e.Steps))
	}
	if err := g.print(w, formats[0]); err != nil {
		return err
	}
	more(w, len(r.Evidence), "rows")
	_, err := fmt.Fprintln(w, "share: of Σ(row·e)², which makes σ; support: the same of rows that this sign rewards; first at: iteration:step")
	return err
}

func more(w io.Writer, n int, what string) {
	if n > shownRows {
		fmt.Fprintf(w, "… and %d more %s, which --json has\n", n-shownRows, what)
	}
}

func iterationsText(i [2]int) string {
	if i[0] == i[1] {
		return fmt.Sprintf("iteration %d", i[0])
	}
	return fmt.Sprintf("iterations %d to %d", i[0], i[1])
}

// rowText names the features that change.
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

func stepsText(steps []why.At) string {
	var parts []string
	for _, at := range steps {
		parts = append(parts, fmt.Sprintf("%d:%d", at.K, at.Step))
	}
	return cmp.Or(strings.Join(parts, " "), none)
}

func printSources(w io.Writer, r *why.Report) error {
	for _, part := range []struct {
		title, none string
		sources     []why.Source
	}{{"in force", "", r.Sources}, {"last completed", "no option yet", r.After}} {
		if len(part.sources) == 0 {
			continue
		}
		g := &grid{columns: []string{part.title, ">steps", ">share", ">support", ">without it: nearest", ">σ", "selected"}}
		for _, s := range part.sources[:min(len(part.sources), shownRows)] {
			g.add(cmp.Or(s.Source, part.none), fmt.Sprint(s.Steps), fmt.Sprintf("%.4f", s.Share), fmt.Sprintf("%.4f", s.Support),
				withoutText(s.Without.Cosine, 4, s.Without.J), withoutText(s.Without.Sigma, 3, s.Without.J), yesNo(s.Without.Selected))
		}
		fmt.Fprintln(w)
		if err := g.print(w, formats[0]); err != nil {
			return err
		}
		more(w, len(part.sources), "sources")
	}
	if len(r.Sources) == 0 {
		_, err := fmt.Fprintln(w, "\nThe rows were recorded elsewhere: nothing is known of what was in force.")
		return err
	}
	_, err := fmt.Fprintln(w, "nearest: largest |cos_M| with a direction of D without those steps; its σ, and whether it would be selected")
	return err
}

// withoutText is – where no data are left.
func withoutText(x float64, digits, j int) string {
	if j == 0 {
		return none
	}
	return number(&x, digits)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func printAncestors(w io.Writer, r *why.Report) error {
	if len(r.Ancestors) == 0 {
		return nil
	}
	g := &grid{columns: []string{"ancestor", ">depth", ">share", ">influence"}}
	for _, a := range r.Ancestors[:min(len(r.Ancestors), shownRows)] {
		g.add(a.Option, fmt.Sprint(a.Depth), fmt.Sprintf("%.4f", a.Share), fmt.Sprintf("%.4f", a.Influence))
	}
	fmt.Fprintln(w)
	if err := g.print(w, formats[0]); err != nil {
		return err
	}
	more(w, len(r.Ancestors), "ancestors")
	_, err := fmt.Fprintln(w, "influence: part of the evidence that goes through it, on any path of options in force")
	return err
}

func printActs(w io.Writer, r *why.Report) error {
	a := r.Acts
	if a == nil {
		_, err := fmt.Fprintln(w, "\nThere is no model to learn an option in.")
		return err
	}
	c, l := a.Certificate, a.Lengths
	fmt.Fprintf(w, "\nIt acts in %d of %d states (%.1f %%) and stops in the rest.\n", c.Initiation, a.States, 100*float64(c.Initiation)/float64(a.States))
	if c.Initiation > 0 {
		fmt.Fprintf(w, "steps to the end: mean %s, minimum %d, quartiles %d %d %d, 95 %% point %d, maximum %d\n", number(c.Reach, 2), l.Min, l.Q25, l.Median, l.Q75, l.P95, l.Max)
		fmt.Fprintf(w, "it ends in %d states, most often in%s\n", a.DistinctEnd, endsText(a.Ends))
	}
	_, err := fmt.Fprintf(w, "certificate: termination %s, %s, q at the state of largest w %.3g ≤ tolerance %.3g%s\n",
		c.Termination, map[bool]string{true: "no cycle", false: "a cycle"}[c.Acyclic], c.PeakQ, c.Tolerance, map[bool]string{true: ", numerically null", false: ""}[c.Null])
	return err
}

func endsText(ends []why.End) string {
	text := ""
	for _, e := range ends[:min(len(ends), 5)] {
		text += fmt.Sprintf(" %d (from %d)", e.State, e.From)
	}
	return text
}

func printState(w io.Writer, r *why.Report) error {
	s := r.State
	if s == nil {
		return nil
	}
	fmt.Fprintf(w, "\nIn state %d ", s.State)
	if s.Acts {
		fmt.Fprintf(w, "it takes %s: the lowest action whose q is within %.3g of the best.\n\n", s.Action, s.Tolerance)
	} else {
		fmt.Fprintf(w, "it stops: no q exceeds the tolerance of %.3g.\n\n", s.Tolerance)
	}
	g := &grid{columns: []string{"action", ">q", ">reward", ">next state"}}
	for _, a := range s.Choices {
		g.add(a.Action, fmt.Sprintf("%.6g", a.Q), fmt.Sprintf("%.6g", a.Reward), fmt.Sprint(a.Next))
	}
	if err := g.print(w, formats[0]); err != nil || !s.Acts {
		return err
	}
	path := ""
	for _, m := range s.Path[:min(len(s.Path), shownRows)] {
		path += fmt.Sprintf("%d %s → ", m.State, m.Action)
	}
	if len(s.Path) > shownRows {
		path += "… → "
	}
	_, err := fmt.Fprintf(w, "\npath: %s%d\n%d steps; rewards add up to %.6g, discounted to %.6g (v is %.6g)\n", path, s.End, s.Length, s.Reward, s.Discounted, s.Value)
	return err
}

func printChain(w io.Writer, r *why.Report) error {
	g := &grid{columns: []string{">k", "chain", "digest", "verified", ""}}
	for i, p := range r.Chain {
		if len(r.Chain) > 3*shownRows && i >= 2*shownRows && i < len(r.Chain)-3 && p.Verified {
			continue
		}
		g.add(fmt.Sprint(p.K), p.What, fmt.Sprintf("%.12s", p.Digest), yesNo(p.Verified), p.How)
	}
	fmt.Fprintln(w)
	if err := g.print(w, formats[0]); err != nil {
		return err
	}
	if left := len(r.Chain) - len(g.rows); left > 0 {
		fmt.Fprintf(w, "%d links between them are not shown; all are verified\n", left)
	}
	if r.Acts != nil {
		fmt.Fprintf(w, "\npodtrack replay %s:%d learns it again and compares every bit.\n", strings.SplitN(r.Option, ":", 2)[0], r.K)
	}
	return nil
}
