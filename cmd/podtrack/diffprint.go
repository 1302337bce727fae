package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
)

// printDiff is the text of a report on runs, or on one pair of iterations. In
// another format than text it is the table of pairs alone.
func printDiff(c *cli.Context, r diff.Report, runs bool) error {
	w, format := c.App.Writer, c.String("format")
	if format != formats[0] {
		return pairTable(r.Iterations, false).print(w, format)
	}
	if err := printSpecs(w, r.Spec); err != nil {
		return err
	}
	fmt.Fprintln(w, parting(r, runs))
	if r.Identical || len(r.Iterations) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	if runs {
		return printRuns(w, r)
	}
	return printIterations(w, r.Iterations[0])
}

func printSpecs(w io.Writer, fields []report.SpecDifference) error {
	if len(fields) == 0 {
		return nil
	}
	g := &grid{columns: []string{"field", "a", "b"}}
	for _, f := range fields {
		g.add(f.Field, f.A, f.B)
	}
	err := g.print(w, formats[0])
	fmt.Fprintln(w)
	return err
}

// parting says how far the records are the same bytes.
func parting(r diff.Report, runs bool) string {
	switch {
	case r.Identical && runs:
		return fmt.Sprintf("identical: all records of %d iterations", r.Done[0])
	case r.Identical:
		return "identical: all records"
	case r.Parted != nil && runs:
		return fmt.Sprintf("they part in iteration %d, %s: all records before are identical", r.Parted.K, r.Parted.Stage)
	case r.Parted != nil:
		return fmt.Sprintf("they part in %s: all records before are identical", r.Parted.Stage)
	}
	return fmt.Sprintf("all records of %d iterations are identical; a has %d iterations and b has %d", min(r.Done[0], r.Done[1]), r.Done[0], r.Done[1])
}

// printRuns has a row an iteration.
func printRuns(w io.Writer, r diff.Report) error {
	g := &grid{columns: []string{">k", ">same", ">only a", ">only b", ">|cos|", ">chance", ">its 95 %", ">overlap", ">policy", ">I", ">ends", ">value rmse", "verdict"}}
	for _, it := range r.Iterations {
		m := meansOf(it.Pairs)
		g.add(fmt.Sprint(it.K), fmt.Sprint(m.same), fmt.Sprint(len(it.OnlyA)), fmt.Sprint(len(it.OnlyB)), number(it.Cosine, 3),
			number(&it.Chance.Mean, 2), number(&it.Chance.P95, 2), number(it.Overlap, 2),
			m.policy, m.jaccard, m.terminal, m.rmse, verdictOf(it))
	}
	if err := g.print(w, formats[0]); err != nil {
		return err
	}
	first := r.Iterations[0]
	for _, it := range r.Iterations {
		if !it.Equivalent {
			first = it
			break
		}
	}
	fmt.Fprintf(w, "\nsame: purposes with a partner of |cos_M| ≥ %s; policy, I, ends and values are means over them.\n", thresholds(r.Iterations))
	fmt.Fprintf(w, "|cos| is the mean over all pairs, chance what it is for random sets. overlap is 0 by chance.\n")
	if r.Done[0] != r.Done[1] {
		fmt.Fprintf(w, "a has %d iterations and b has %d: they are not equivalent.\n", r.Done[0], r.Done[1])
	}
	_, err := fmt.Fprintf(w, "podtrack diff %s %s lists the pairs.\n", first.A, first.B)
	return err
}

func thresholds(iterations []diff.Comparison) string {
	low, high := iterations[0].Threshold, iterations[0].Threshold
	for _, it := range iterations {
		low, high = min(low, it.Threshold), max(high, it.Threshold)
	}
	if low == high {
		return fmt.Sprintf("%.3g", low)
	}
	return fmt.Sprintf("%.3g to %.3g", low, high)
}

// verdictOf an iteration, from the strongest.
func verdictOf(it diff.Comparison) string {
	switch {
	case it.Identical:
		return "identical"
	case it.Equivalent:
		return "equivalent"
	}
	return "different"
}

// means are over the pairs that reach the threshold.
type means struct {
	same                            int
	policy, jaccard, terminal, rmse string
}

func meansOf(pairs []diff.Pair) means {
	m := means{policy: none, jaccard: none, terminal: none, rmse: none}
	var policy, jaccard, terminal, rmse, n float64
	for _, p := range pairs {
		if !p.Matched {
			continue
		}
		m.same++
		if p.Likeness != nil {
			n++
			policy, jaccard, terminal, rmse = policy+p.Policy, jaccard+p.Jaccard, terminal+p.Terminal, rmse+p.RMSE
		}
	}
	if n > 0 {
		m.policy, m.jaccard = fmt.Sprintf("%.3f", policy/n), fmt.Sprintf("%.3f", jaccard/n)
		m.terminal, m.rmse = fmt.Sprintf("%.3f", terminal/n), fmt.Sprintf("%.2g", rmse/n)
	}
	return m
}

// printIterations has a row a pair.
func printIterations(w io.Writer, it diff.Comparison) error {
	if err := pairTable([]diff.Comparison{it}, true).print(w, formats[0]); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, only := range []struct {
		side string
		refs []string
	}{{"a", it.OnlyA}, {"b", it.OnlyB}} {
		if len(only.refs) > 0 {
			fmt.Fprintf(w, "only %s has: %s\n", only.side, strings.Join(only.refs, " "))
		}
	}
	for _, cl := range it.Clusters {
		fmt.Fprintf(w, "nearly equal σ: directions %v of a and %v of b, single ones are arbitrary; their spans have the lowest cosine %.3f%s\n",
			cl.A, cl.B, cl.Cosine, map[bool]string{true: ", the same", false: ""}[cl.Equivalent])
	}
	fmt.Fprintf(w, "mean |cos_M| %s; random sets of these sizes in %d dimensions: mean %.2f, 95 %% under %.2f; the same from %.3g on\n",
		number(it.Cosine, 3), it.Dimensions, it.Chance.Mean, it.Chance.P95, it.Threshold)
	_, err := fmt.Fprintf(w, "overlap of the spans %s, 0 by chance\n%s\n", number(it.Overlap, 2), verdictOf(it))
	return err
}

// pairTable lists pairs; short leaves the runs out of the references of a single
// comparison, whose title has them.
func pairTable(iterations []diff.Comparison, short bool) *grid {
	g := &grid{columns: []string{"a", "b", ">cos_M", "same", ">σ a", ">σ b", ">policy", ">with ties", ">visited", ">I", ">ends", ">value rmse", ">max", ">born a", ">born b"}}
	for _, it := range iterations {
		for _, p := range it.Pairs {
			g.add(append([]string{shortened(p.A, short), shortened(p.B, short)}, pairCells(p)...)...)
		}
		if short {
			g.columns[0], g.columns[1] = it.A, it.B
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
	cells := []string{fmt.Sprintf("%.4f", p.Cosine), same, fmt.Sprintf("%.3f", p.SigmaA), fmt.Sprintf("%.3f", p.SigmaB)}
	if p.Likeness == nil {
		cells = append(cells, none, none, none, none, none, none, none)
	} else {
		cells = append(cells, shareText(p.Policy, p.Differing), shareText(p.Ties, 1), number(p.Visits, 4), fmt.Sprintf("%.4f", p.Jaccard),
			fmt.Sprintf("%.4f", p.Terminal), fmt.Sprintf("%.2g", p.RMSE), fmt.Sprintf("%.2g", p.Largest))
	}
	return append(cells, fmt.Sprint(p.BornA), fmt.Sprint(p.BornB))
}

// shareText never rounds to 1 where something differs.
func shareText(x float64, differing int) string {
	if text := fmt.Sprintf("%.4f", x); text != "1.0000" || x == 1 || differing == 0 {
		return text
	}
	return "<1"
}

func printOptionDiff(c *cli.Context, r diff.OptionReport) error {
	w, format := c.App.Writer, c.String("format")
	if format != formats[0] {
		return pairTable([]diff.Comparison{{Pairs: []diff.Pair{r.Pair}}}, false).print(w, format)
	}
	if err := printSpecs(w, r.Spec); err != nil {
		return err
	}
	g := &grid{columns: []string{"feature", ">" + r.Pair.A, ">" + r.Pair.B}}
	for i, name := range r.Features {
		g.add(name, fmt.Sprintf("%.4f", r.VectorA[i]), fmt.Sprintf("%.4f", r.VectorB[i]))
	}
	if err := g.print(w, format); err != nil {
		return err
	}
	p := r.Pair
	fmt.Fprintf(w, "\ncos_M      %.4f (two random purposes: |cos_M| %.2f on average, 95 %% under %.2f; the same from %.3g on)\n", p.Cosine, r.Chance.Mean, r.Chance.P95, r.Threshold)
	fmt.Fprintf(w, "σ          %.4f and %.4f, change %+.4f\nborn       in iterations %d and %d\n", p.SigmaA, p.SigmaB, p.SigmaChange(), p.BornA, p.BornB)
	if p.Likeness != nil {
		printLikeness(w, p.Likeness)
	}
	_, err := fmt.Fprintln(w, verdictOf(diff.Comparison{Identical: r.Identical, Equivalent: r.Equivalent}))
	return err
}

func printLikeness(w io.Writer, l *diff.Likeness) {
	fmt.Fprintf(w, "policy     %s of the states in I agree, %s with ties, %s weighted by visits\n", shareText(l.Policy, l.Differing), shareText(l.Ties, 1), number(l.Visits, 4))
	fmt.Fprintf(w, "I          Jaccard index %.4f\nends       %.4f of the states in I lead to the same end\n", l.Jaccard, l.Terminal)
	fmt.Fprintf(w, "values     RMSE %.3g, largest difference %.3g\n", l.RMSE, l.Largest)
	if l.Differing == 0 {
		return
	}
	fmt.Fprintf(w, "different  in %d states:", l.Differing)
	for _, s := range l.States {
		fmt.Fprintf(w, " %d (%s, %s)", s.State, actionText(s.A), actionText(s.B))
	}
	if l.Differing > len(l.States) {
		fmt.Fprint(w, " …")
	}
	fmt.Fprintln(w)
}

// actionText is ⊥ or the action's number.
func actionText(a int8) string {
	if a < 0 {
		return "⊥"
	}
	return fmt.Sprint(a)
}
