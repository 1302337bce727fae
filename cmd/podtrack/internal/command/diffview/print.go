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
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// PrintReport prints a report on runs, or on one pair of iterations.
func PrintReport(w table.Text, r diff.Report, runs bool) {
	printSides(w, r.Spec, specColumns...)
	printSides(w, r.Code, codeColumns...)
	printSides(w, r.Levels, levelColumns...)
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

// specColumns are the columns of a field that differs between two specs.
var specColumns = []table.Column{table.Left("field"), table.Left("a"), table.Left("b")}

// codeColumns are the columns of what differs between the code of the last sessions of two runs.
var codeColumns = []table.Column{
	table.Left("what").As("code"),
	table.Format(table.Left("before").As("a"), orNone),
	table.Format(table.Left("now").As("b"), orNone),
}

// levelColumns are the columns of how much the heads prove of a stage that podtrack alone does not recompute.
var levelColumns = []table.Column{table.Left("stage").As("level"), table.Left("a"), table.Left("b")}

func orNone(text string) string { return cmp.Or(text, table.None) }

// printSides prints a table of what differs between a and b, if it has rows, and an empty line.
func printSides[T any](w table.Text, rows []T, columns ...table.Column) {
	if len(rows) > 0 {
		w.Table(table.Of(rows, columns...))
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
	both := textfmt.CountOf(min(r.Done[0], r.Done[1]), "iteration")
	switch {
	case r.Identical && runs:
		return "identical: all records of " + both
	case r.Identical:
		return "identical: all records"
	case r.Done[0]+r.Done[1] == 0:
		return "neither has an iteration to compare"
	case min(r.Done[0], r.Done[1]) == 0:
		return fmt.Sprintf("nothing to compare: a has %s and b has %d", textfmt.CountOf(r.Done[0], "iteration"), r.Done[1])
	}
	return fmt.Sprintf("all records of %s are identical; a has %s and b has %d", both,
		textfmt.CountOf(r.Done[0], "iteration"), r.Done[1])
}

var comparisonColumns = []table.Column{
	table.Right("k"),
	table.Value(table.Right("same"), func(it *diff.Comparison) any { return len(matched(it)) }),
	table.Value(table.Right("only a"), func(it *diff.Comparison) any { return len(it.OnlyA) }),
	table.Value(table.Right("only b"), func(it *diff.Comparison) any { return len(it.OnlyB) }),
	table.Right("cosine").As("|cos|").Digits(3),
	table.Value(table.Right("chance").Digits(2).Optional(5),
		func(it *diff.Comparison) any { return known(it, it.Chance.Mean) }),
	table.Value(table.Right("chance p95").Digits(2).Optional(2),
		func(it *diff.Comparison) any { return known(it, it.Chance.P95) }),
	table.Value(table.Right("overlap").Optional(7), overlapText),
	mean(table.Right("option similarity").Digits(3).Optional(8), func(p diff.Pair) float64 { return p.Similarity }),
	mean(table.Right("policy").Digits(3).Optional(6), func(p diff.Pair) float64 { return p.Policy }),
	mean(table.Right("initiation overlap").Digits(3).Optional(4), func(p diff.Pair) float64 { return p.Jaccard }),
	mean(table.Right("same end state").Digits(3).Optional(3), func(p diff.Pair) float64 { return p.Terminal }),
	mean(table.Format(table.Right("value rmse").Optional(1), shortNumber), func(p diff.Pair) float64 { return p.RMSE }),
	table.Value(table.Left("verdict"), func(it *diff.Comparison) any { return verdictOf(*it) }),
}

// matched returns the pairs that reach the threshold.
func matched(it *diff.Comparison) []diff.Pair {
	return slices.DeleteFunc(slices.Clone(it.Pairs), func(p diff.Pair) bool { return !p.Matched })
}

// mean returns a column of means over the pairs that reach the threshold and have options.
func mean(c table.Column, of func(diff.Pair) float64) table.Column {
	return table.Value(c, func(it *diff.Comparison) any {
		sum, n := 0.0, 0.0
		for _, p := range matched(it) {
			if p.BehaviourSimilarity != nil {
				sum, n = sum+of(p), n+1
			}
		}
		if n == 0 {
			return nil
		}
		return sum / n
	})
}

// printRuns prints a table with one row per iteration.
func printRuns(w table.Text, r diff.Report) {
	w.Table(table.Of(r.Iterations, comparisonColumns...))
	different := slices.IndexFunc(r.Iterations, func(it diff.Comparison) bool { return !it.Equivalent })
	first := r.Iterations[max(different, 0)]
	w.Blank()
	w.Prose("same: purposes with a partner of |cos_M| ≥ %.3g; the columns from option on are means over them.",
		first.Threshold)
	w.Prose("|cos|: mean over all pairs; chance: the same for random sets. overlap: of the two subspaces, " +
		"above chance, and its maximum.")
	likeliest := slices.MaxFunc(r.Iterations,
		func(a, b diff.Comparison) int { return cmp.Compare(a.Chance.P95, b.Chance.P95) })
	printReachable(w, likeliest.Chance, first.Threshold)
	w.Prose("equivalent: every purpose has a match, and the options of both have a similarity ≥ %.3g.", first.Agreement)
	if clusters := countEquivalentClusters(r.Iterations); clusters > 0 {
		w.Prose("Same subspace: %s of nearly equal σ, whose single directions are arbitrary.",
			textfmt.CountOf(clusters, "cluster"))
	}
	if r.Done[0] != r.Done[1] {
		a, b := textfmt.CountOf(r.Done[0], "iteration"), r.Done[1]
		fmt.Fprintf(w, "a has %s and b has %d: they are not equivalent.\n", a, b)
	}
	w.Prose("podtrack diff %s %s lists the pairs.", textfmt.ShellQuote(first.A), textfmt.ShellQuote(first.B))
}

// known returns a number of a chance level, nil if one of the sets is empty or random ones would take too long.
func known(it *diff.Comparison, level float64) any {
	if it.Chance.Draws == 0 {
		return nil
	}
	return level
}

func overlapText(it *diff.Comparison) any {
	if it.Overlap == nil {
		return table.None
	}
	return table.Number(it.Overlap, 2) + " of " + table.Number(it.MaxOverlap, 2)
}

func countEquivalentClusters(iterations []diff.Comparison) (n int) {
	for _, it := range iterations {
		for _, cluster := range it.Clusters {
			if cluster.Equivalent {
				n++
			}
		}
	}
	return n
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
	of := func(c table.Column, measure string, run *explore.Summary) table.Column {
		return table.Value(c, func(s *diff.Shared) any {
			x, _ := run.Get(measure, s.K)
			return x
		})
	}
	w.TableBelow(table.Of(e.Shared,
		table.Right("k"),
		of(table.Right("covered a"), "covered", e.A), of(table.Right("covered b"), "covered", e.B),
		table.Value(table.Right("covered by both"), func(s *diff.Shared) any {
			if s.Overlap == nil {
				return nil
			}
			return s.States
		}),
		table.Right("overlap").As("overlap of covered").Digits(3),
		of(table.Right("entropy a").Digits(3), "entropy", e.A),
		of(table.Right("entropy b").Digits(3), "entropy", e.B),
		of(table.Right("end sets a"), "end_sets", e.A), of(table.Right("end sets b"), "end_sets", e.B)))
	w.Blank()
	w.Prose("Steps until half of the states were visited: a %s, b %s. Overlap: states that both covered, as "+
		"a share of those that either did.", halfText(e.A), halfText(e.B))
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
	return cmdline.Optional(p, "cosine", "purposes are the same from |cos_M| = `X` on", usualThreshold)
}

// AgreementFlag returns the flag --agreement, the threshold for equal options.
func AgreementFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "agreement", "options are the same from a similarity of `X` on", usualThreshold)
}

// ParseLimits returns the thresholds that flags set, each between 0 and 1; nil for those that are not given.
func ParseLimits(cosine, agreement, gap *string) (l diff.Limits, err error) {
	err = cmp.Or(parseShare("cosine", cosine, &l.Cosine), parseShare("agreement", agreement, &l.Agreement),
		parseShare("gap", gap, &l.Gap))
	return l, err
}

// usualThreshold is the default of thresholds of similarity.
var usualThreshold = fmt.Sprint(diff.Threshold)

// ByFlag returns the flag --by, which chooses whether the options or the purposes of a group are compared.
func ByFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "by", "with --group: compare `WHAT`: options, and purposes beside them, or purposes alone",
		"options, if the runs have any")
}

// parseShare parses a threshold between 0 and 1, if it is given.
func parseShare(flag string, text *string, x *float64) (err error) {
	if text == nil {
		return nil
	}
	if *x, err = strconv.ParseFloat(*text, 64); err != nil || !(*x > 0 && *x <= 1) {
		return schema.Hint(fmt.Errorf("--%s: invalid share %q", flag, *text), "give a number above 0, at most 1")
	}
	return nil
}

// ParseKind parses the value of --by.
func ParseKind(text string) (diff.Kind, error) {
	kind := diff.Kind(text)
	if kind != diff.Options && kind != diff.Purposes {
		return "", schema.Hint(fmt.Errorf("--by: invalid value %q", text), "write options or purposes")
	}
	return kind, nil
}
