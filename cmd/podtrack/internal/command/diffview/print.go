// Package diffview prints how runs, iterations, options and groups of runs differ in what they learned.
package diffview

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// PrintReport prints a report on runs, or on one pair of iterations.
func PrintReport(w table.Text, r diff.Report, runs bool) {
	printSpecs(w, r.Spec)
	printCode(w, r.Code)
	printLevels(w, r.Levels)
	w.Wrapped("%s", divergenceText(r, runs))
	switch {
	case r.Identical || len(r.Iterations) == 0:
		return
	case nothingSelected(r):
		fmt.Fprintln(w, "\nneither selected a purpose in any of these iterations")
	case runs:
		w.Blank()
		printRuns(w, r)
	default:
		w.Blank()
		printIterations(w, r.Iterations[0])
	}
}

func nothingSelected(r diff.Report) bool {
	return !slices.ContainsFunc(r.Iterations,
		func(it diff.Comparison) bool { return len(it.Pairs)+len(it.OnlyA)+len(it.OnlyB) > 0 })
}

func printSpecs(w table.Text, fields []report.SpecDifference) {
	var rows [][]string
	for _, f := range fields {
		rows = append(rows, []string{f.Field, f.A, f.B})
	}
	printSides(w, "field", rows)
}

// printCode prints what differs between the code of the last sessions of two runs.
func printCode(w table.Text, changes []provenance.Change) {
	var rows [][]string
	for _, d := range changes {
		rows = append(rows, []string{d.What, cmp.Or(d.Before, table.None), cmp.Or(d.Now, table.None)})
	}
	printSides(w, "code", rows)
}

// printLevels prints how much the heads prove of the stages that podtrack alone does not recompute.
func printLevels(w table.Text, levels []diff.StageLevels) {
	var rows [][]string
	for _, l := range levels {
		rows = append(rows, []string{l.Stage, cmp.Or(string(l.A), table.None), cmp.Or(string(l.B), table.None)})
	}
	printSides(w, "level", rows)
}

// printSides prints a table of what differs between a and b, if it has rows, and an empty line.
func printSides(w table.Text, title string, rows [][]string) {
	if len(rows) > 0 {
		w.Table(&table.Table{Columns: []table.Column{table.Left(title), table.Left("a"), table.Left("b")}, Rows: rows})
		w.Blank()
	}
}

// divergenceText describes how far the records are bit-identical.
func divergenceText(r diff.Report, runs bool) string {
	if r.Divergence != nil {
		where, behind := "stage "+r.Divergence.Stage, "all records before it are identical"
		if r.Divergence.Stage == stages.Collect && (r.Divergence.K == 0 || !runs) {
			behind = "no record comes before it"
		}
		if runs {
			where = fmt.Sprintf("iteration %d, %s", r.Divergence.K, where)
		}
		return fmt.Sprintf("first divergence: %s; %s", where, behind)
	}
	both := cmdline.Plural(min(r.Done[0], r.Done[1]), "iteration")
	switch {
	case r.Identical && runs:
		return "identical: all records of " + both
	case r.Identical:
		return "identical: all records"
	case r.Done[0]+r.Done[1] == 0:
		return "neither has an iteration to compare"
	case min(r.Done[0], r.Done[1]) == 0:
		return fmt.Sprintf("nothing to compare: a has %s and b has %d", cmdline.Plural(r.Done[0], "iteration"), r.Done[1])
	}
	return fmt.Sprintf("all records of %s are identical; a has %s and b has %d", both,
		cmdline.Plural(r.Done[0], "iteration"), r.Done[1])
}

// printRuns prints a table with one row per iteration.
func printRuns(w table.Text, r diff.Report) {
	g := table.New(table.Right("k"), table.Right("same"), table.Right("only a"), table.Right("only b"),
		table.Right("|cos|"), table.Right("chance").Optional(5), table.Right("chance p95").Optional(2),
		table.Right("overlap").Optional(7), table.Right("option similarity").Optional(8), table.Right("policy").Optional(6),
		table.Right("initiation overlap").Optional(4),
		table.Right("same end state").Optional(3), table.Right("value rmse").Optional(1), table.Left("verdict"))
	for _, it := range r.Iterations {
		m := meansOf(it.Pairs)
		g.Add(fmt.Sprint(it.K), fmt.Sprint(m.same), fmt.Sprint(len(it.OnlyA)), fmt.Sprint(len(it.OnlyB)),
			table.Number(it.Cosine, 3),
			chanceText(it, it.Chance.Mean), chanceText(it, it.Chance.P95), overlapText(it),
			m.option, m.policy, m.jaccard, m.terminal, m.rmse, verdictOf(it))
	}
	w.Table(g)
	first := r.Iterations[0]
	for _, it := range r.Iterations {
		if !it.Equivalent {
			first = it
			break
		}
	}
	w.Blank()
	w.Prose("same: purposes with a partner of |cos_M| ≥ %.3g; the columns from option on are means over them.",
		first.Threshold)
	w.Prose("|cos|: mean over all pairs; chance: the same for random sets. overlap: of the two subspaces, " +
		"above chance, and its maximum.")
	printReachable(w, highestChance(r.Iterations), first.Threshold)
	w.Prose("equivalent: every purpose has a match, and the options of both have a similarity ≥ %.3g.",
		first.Agreement)
	if clusters := countEquivalentClusters(r.Iterations); clusters > 0 {
		w.Prose("Same subspace: %s of nearly equal σ, whose single directions are arbitrary.",
			cmdline.Plural(clusters, "cluster"))
	}
	if r.Done[0] != r.Done[1] {
		fmt.Fprintf(w, "a has %s and b has %d: they are not equivalent.\n", cmdline.Plural(r.Done[0], "iteration"), r.Done[1])
	}
	w.Prose("podtrack diff %s %s lists the pairs.", textfmt.ShellQuote(first.A), textfmt.ShellQuote(first.B))
}

// highestChance returns the level with the highest 95th percentile.
func highestChance(iterations []diff.Comparison) (c diff.ChanceLevel) {
	for _, it := range iterations {
		if it.Chance.P95 > c.P95 {
			c = it.Chance
		}
	}
	return c
}

// chanceText formats a chance level, none if one of the sets is empty or random ones would take too long.
func chanceText(it diff.Comparison, level float64) string {
	if it.Chance.Draws == 0 {
		return table.None
	}
	return table.Number(&level, 2)
}

// overlapText formats the overlap and its maximum.
func overlapText(it diff.Comparison) string {
	if it.Overlap == nil {
		return table.None
	}
	return table.Number(it.Overlap, 2) + " of " + table.Number(it.MaxOverlap, 2)
}

// countEquivalentClusters counts the clusters that span equivalent subspaces.
func countEquivalentClusters(iterations []diff.Comparison) int {
	n := 0
	for _, it := range iterations {
		for _, cluster := range it.Clusters {
			if cluster.Equivalent {
				n++
			}
		}
	}
	return n
}

// means are the means over the pairs that reach the threshold.
type means struct {
	same                                    int
	option, policy, jaccard, terminal, rmse string
}

func meansOf(pairs []diff.Pair) means {
	m := means{option: table.None, policy: table.None, jaccard: table.None, terminal: table.None, rmse: table.None}
	var option, policy, jaccard, terminal, rmse, n float64
	for _, p := range pairs {
		if !p.Matched {
			continue
		}
		m.same++
		if p.BehaviourSimilarity != nil {
			n++
			option, policy, jaccard = option+p.Similarity, policy+p.Policy, jaccard+p.Jaccard
			terminal, rmse = terminal+p.Terminal, rmse+p.RMSE
		}
	}
	if n > 0 {
		m.option = fmt.Sprintf("%.3f", option/n)
		m.policy, m.jaccard = fmt.Sprintf("%.3f", policy/n), fmt.Sprintf("%.3f", jaccard/n)
		m.terminal, m.rmse = fmt.Sprintf("%.3f", terminal/n), fmt.Sprintf("%.2g", rmse/n)
	}
	return m
}

// verdictOf returns the strongest verdict that holds for a pair of iterations.
func verdictOf(it diff.Comparison) string {
	switch {
	case it.Identical:
		return "identical"
	case it.Equivalent:
		return "equivalent"
	}
	return "different"
}

// PrintExploration prints how two runs explored, with one row per iteration, if that was asked for.
func PrintExploration(w table.Text, e *diff.Exploration) {
	if e == nil {
		return
	}
	g := table.New(table.Right("k"), table.Right("covered a"), table.Right("covered b"), table.Right("covered by both"),
		table.Right("overlap of covered"), table.Right("entropy a"), table.Right("entropy b"), table.Right("end sets a"),
		table.Right("end sets b"))
	for k, s := range e.Shared {
		row := []string{fmt.Sprint(s.K)}
		row = append(row, both(e, "covered", k, 0)...)
		if s.Overlap == nil {
			row = append(row, table.None, table.None)
		} else {
			row = append(row, fmt.Sprint(s.States), table.Number(s.Overlap, 3))
		}
		row = append(row, both(e, "entropy", k, 3)...)
		g.Add(append(row, both(e, "end_sets", k, 0)...)...)
	}
	w.TableBelow(g)
	w.Blank()
	w.Prose("Steps until half of the states were visited: a %s, b %s. Overlap: states that both covered, as "+
		"a share of those that either did.", halfText(e.A), halfText(e.B))
}

// both returns a measure of iteration k of both runs.
func both(e *diff.Exploration, measure string, k, digits int) []string {
	a, _ := e.A.Get(measure, k)
	b, _ := e.B.Get(measure, k)
	return []string{table.Number(a, digits), table.Number(b, digits)}
}

func halfText(r *explore.Summary) string {
	switch {
	case r.States == nil:
		return "not known"
	case r.StepsToHalf == nil:
		return "not yet"
	}
	return fmt.Sprint(*r.StepsToHalf)
}

// CosineFlag returns the flag --cosine, the threshold for equal eigenpurposes.
func CosineFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "cosine", "purposes are the same from |cos_M| = `X` on", Threshold)
}

// Threshold is the default of thresholds of similarity.
var Threshold = fmt.Sprint(diff.Threshold)

// ByFlag returns the flag --by, which chooses whether the options or the purposes of a group are compared.
func ByFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "by", "with --group: compare `WHAT`: options, and purposes beside them, or purposes alone",
		"options, if the runs have any")
}

// ParseShare returns a threshold between 0 and 1.
func ParseShare(flag, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return x, schema.Hint(fmt.Errorf("--%s: invalid share %q", flag, text), "give a number above 0, at most 1")
	}
	return x, nil
}

// ParseKind parses the value of --by.
func ParseKind(text string) (diff.Kind, error) {
	kind := diff.Kind(text)
	if kind != diff.Options && kind != diff.Purposes {
		return "", schema.Hint(fmt.Errorf("--by: invalid value %q", text), "write options or purposes")
	}
	return kind, nil
}
