package diffview

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Cluster compares the runs of a group, and shows on stderr how far that is.
func Cluster(ctx context.Context, stderr io.Writer, store *tracker.Store, runs []report.Run, o diff.GroupOptions) (
	diff.Clustering, error,
) {
	bar := cmdline.StartBar(stderr, "compared")
	defer bar.Stop()
	o.Progress = func(done, total int64) { bar.Show(done, total, "") }
	return diff.ClusterRuns(ctx, store, runs, o)
}

const shownDistinct = 10 // in the table of shared purposes or options

// printEvidence prints the tables and notes behind the verdict.
func printEvidence(w table.Text, g diff.Clustering) {
	if len(g.Runs) < 2 {
		printLeftOut(w, g)
		return // a single run shares nothing
	}
	if len(g.Purposes) > 0 {
		w.TableBelow(agreementTable(g))
	}
	if shown := mostShared(g); len(shown) > 0 {
		w.TableBelow(distinctTable(g, g.By, shown))
		if more := len(g.Distinct()) - len(shown); more > 0 {
			w.Prose("… and %d more: --matrix %s, --json and --format csv have all.", more, g.By)
		}
		w.Prose("unstable: members whose σ is within %g %% of a neighbour's, so that other data turn their directions; "+
			"doubles: others that several runs found and that end in the same state. --matrix members lists the members.",
			100*diff.NarrowGap)
	}
	printGroupNotes(w, g)
}

// agreementTable returns the table by iteration, first of the kind that the verdict is about.
func agreementTable(g diff.Clustering) *table.Table {
	var rows []diff.Agreement
	for _, kind := range slices.Compact([]diff.Kind{g.By, diff.Purposes}) {
		for _, a := range g.Iterations {
			if a.Of == kind {
				rows = append(rows, a)
			}
		}
	}
	return table.Of(rows, agreementColumns...)
}

var agreementColumns = []table.Column{
	table.Left("of"), table.Right("k"), table.Right("runs").Optional(2),
	table.Right("size").As("set size").Digits(1).Optional(1), table.Right("observed").Digits(3),
	table.Right("low").As("95 % low").CSV("low").Digits(3).Optional(3),
	table.Right("high").As("95 % high").CSV("high").Digits(3).Optional(3), table.Right("chance").Digits(3),
	table.Right("p").PValue(4).Optional(4), table.Right("p_holm").As("p (Holm)").PValue(4),
	table.Value(table.Left("above chance"), aboveText),
	table.Value(table.Right("excess").Digits(3), func(a *diff.Agreement) any { return a.ShownExcess() }),
	table.FormatDigits(table.Right("excess_low").As("low").CSV("excess low").Digits(3).Optional(5), textfmt.FormatEnd),
	table.FormatDigits(table.Right("excess_high").As("high").CSV("excess high").Digits(3).Optional(5), textfmt.FormatEnd),
	table.Value(table.Right("at").CSV("excess level").Optional(5), excessLevel),
}

func aboveText(a *diff.Agreement) any {
	switch {
	case a.P == nil:
		return a.Unknown
	case a.Above:
		return "yes"
	}
	return stats.Unsettled
}

func excessLevel(a *diff.Agreement) any {
	if a.ExcessLow == nil {
		return nil
	}
	return fmt.Sprintf("%.4g %%", 100*a.ExcessLevel)
}

// mostShared returns the purposes or options that most runs found: those of several runs, unless there are none.
func mostShared(g diff.Clustering) []diff.Distinct {
	all := g.Distinct()
	shared := slices.IndexFunc(all, func(d diff.Distinct) bool { return d.Runs < 2 })
	if shared <= 0 {
		shared = len(all)
	}
	return all[:min(shared, shownDistinct)]
}

// distinctTable returns a table of distinct purposes or options for people.
func distinctTable(g diff.Clustering, kind diff.Kind, list []diff.Distinct) *table.Table {
	return table.Of(list,
		distinctColumn(g, kind), table.Left("end").As("ends in").IfAny(),
		table.Value(table.Right("runs"), func(d *diff.Distinct) any { return ofAll(d.Runs, len(g.Runs)) }),
		table.Value(table.Right("σ").Optional(3), func(d *diff.Distinct) any {
			ends := []string{fmt.Sprintf("%.3f", d.SigmaLow), fmt.Sprintf("%.3f", d.SigmaHigh)}
			return strings.Join(slices.Compact(ends), "–")
		}),
		table.Right("first"),
		table.Value(table.Right("unstable").IfAny(), func(d *diff.Distinct) any { return ofAll(d.Unstable, d.Members) }),
		table.Right("doubles").IfAny(), seedsColumn(g))
}

// distinctColumn returns the column of what stands for distinct purposes or options, of which an option can be audited.
func distinctColumn(g diff.Clustering, kind diff.Kind) table.Column {
	return table.Opens(wholeRefs(g, table.Left("name").As(singular(kind))), func(d *diff.Distinct) []string {
		if kind == diff.Purposes {
			return nil
		}
		return []string{"why", d.Name}
	})
}

// wholeRefs returns a column of references to runs of a group, which CSV has in full.
func wholeRefs(g diff.Clustering, c table.Column) table.Column {
	return c.Refs(cmdline.WholeRefs(g.Runs, func(m diff.Member) schema.Digest { return m.Run }))
}

// ofAll returns a part of a whole as text, nil for nothing.
func ofAll(n, all int) any {
	if n == 0 {
		return nil
	}
	return fmt.Sprintf("%d of %d", n, all)
}

func seedsColumn(g diff.Clustering) table.Column {
	return table.Value(table.Left("seeds").Optional(2), func(d *diff.Distinct) any { return seedsOf(g, *d) })
}

// wholeTable returns a table of distinct purposes or options for programs.
func wholeTable(g diff.Clustering, kind diff.Kind, list []diff.Distinct) *table.Table {
	return table.Of(list, distinctColumn(g, kind), table.Right("sigma").As("mean σ").Digits(3),
		table.Right("runs"), table.Right("prevalence").Digits(2), table.Right("low").Digits(2),
		table.Right("high").Digits(2), table.Right("first"), table.Right("members").As(map[diff.Kind]string{
			diff.Options: "members", diff.Purposes: "directions"}[kind]), seedsColumn(g),
		table.Left("end").As("ends in").CSV("end"), table.Right("sigma_low").As("σ low").CSV("sigma_low").Digits(3),
		table.Right("sigma_high").As("σ high").CSV("sigma_high").Digits(3), table.Right("unstable"), table.Right("doubles"))
}

// memberTable returns a table with a row for each member of what several runs found.
func memberTable(g diff.Clustering) *table.Table {
	type member struct {
		Of   string `json:"of"` // its representative
		Seed uint64 `json:"seed"`
		diff.Discovery
	}
	var rows []member
	for _, d := range g.Distinct() {
		for _, x := range d.Each {
			rows = append(rows, member{d.Name, g.Runs[x.Run].Seed, x})
		}
	}
	opens := func(m *member) []string {
		if g.By == diff.Purposes {
			return nil
		}
		return []string{"why", m.Name}
	}
	return table.Of(rows, wholeRefs(g, table.Left("of").As(singular(g.By))), table.Right("seed"),
		table.Opens(wholeRefs(g, table.Left("name").As("member")), opens),
		table.Right("sigma").As("σ").CSV("sigma").Digits(3), table.Right("gap").Digits(4),
		table.Left("end").As("ends in").IfAny())
}

func singular(kind diff.Kind) string { return strings.TrimSuffix(string(kind), "s") }

// seedsOf returns the seeds of the runs that found a purpose or an option, abbreviated.
func seedsOf(g diff.Clustering, p diff.Distinct) string {
	var seeds []uint64
	for i, first := range p.Found {
		if first != nil {
			seeds = append(seeds, g.Runs[i].Seed)
		}
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	return shortList(textfmt.Ranges(seeds, "-", 2), 8)
}

func shortList(parts []string, limit int) string {
	if len(parts) > limit {
		return strings.Join(parts[:limit], ",") + ",…"
	}
	return strings.Join(parts, ",")
}

func printGroupNotes(w table.Text, g diff.Clustering) {
	found := fmt.Sprintf("%s among %s", textfmt.CountOf(len(g.Purposes), "distinct purpose"),
		textfmt.CountOf(g.Directions, "direction"))
	same := fmt.Sprintf("|cos_M| ≥ %.3g", g.Threshold)
	if o := g.Options; o != nil {
		found += fmt.Sprintf(", %s among %s", textfmt.CountOf(len(o.Distinct), "distinct option"),
			textfmt.CountOf(o.Count, "option"))
		same += fmt.Sprintf(" (purposes), similarity ≥ %.3g (options)", o.Threshold)
	}
	w.Blank()
	w.Prose("%s of %s. The same: %s; a run counts if it has any such member.", found,
		textfmt.CountOf(len(g.Runs), "run"), same)
	printReachable(w, g.Chance, g.Threshold)
	printTestNotes(w, g)
	printShorter(w, g)
	printLeftOut(w, g)
	fmt.Fprintln(w, "podtrack help diff explains the numbers.")
}

// printLeftOut prints which runs have nothing to compare.
func printLeftOut(w table.Text, g diff.Clustering) {
	for _, r := range g.Empty {
		w.Prose("Run %s has no iterations and is left out.", r.Label)
	}
}

// printTestNotes prints the legend of the table by iteration: the intervals, the chance level and the tests.
func printTestNotes(w table.Text, g diff.Clustering) {
	tested, unknown := 0, map[string]bool{}
	for _, a := range g.Iterations {
		if a.Of == g.By && a.P != nil {
			tested++
		}
		unknown[a.Unknown] = true
	}
	w.Prose("observed: mean similarity of two runs' sets, matched; chance: the same of random sets of these " +
		"sizes; excess: observed − chance; low, high: intervals at 95 %%, and of the excess at the level in the last " +
		"column, so that all hold together (Bonferroni); jackknife over runs and random sets.")
	if tested > 0 {
		w.Prose("p: %d permutations of observed and random sets, seed %d; Holm: adjusted for %s. Above chance: "+
			"p is at most %.2g, and the interval of the excess excludes 0; else it is not settled.", g.Draws, g.Seed,
			textfmt.CountOf(tested, "iteration"), g.Level)
	}
	if g.By == diff.Options && unknown["no model"] && len(g.Options.Distinct) > 0 {
		w.Prose("no model: options have no chance level where there is no model in which those of random " +
			"purposes could be learned; --by purposes compares purposes beside chance.")
	}
}

// printShorter prints which runs had fewer iterations in which to find a purpose.
func printShorter(w table.Text, g diff.Clustering) {
	most := 0
	for _, r := range g.Runs {
		most = max(most, r.Iterations)
	}
	var shorter []string
	for _, r := range g.Runs {
		if r.Iterations < most {
			shorter = append(shorter, fmt.Sprintf("%s (%d)", r.Label, r.Iterations))
		}
	}
	if len(shorter) > 0 {
		w.Prose("With fewer than %s: %s.", textfmt.CountOf(most, "iteration"),
			strings.ReplaceAll(shortList(shorter, 8), ",", ", "))
	}
}

// similarities are the similarities of a run with all.
type similarities struct {
	Run string
	all []*float64
}

func similarityTable(g diff.Clustering) *table.Table {
	whole := cmdline.WholeRefs(g.Runs, func(m diff.Member) schema.Digest { return m.Run })
	columns := []table.Column{table.Left("Run").As("run").Refs(whole)}
	var rows []similarities
	for i, all := range g.RunSimilarity() {
		run := g.Runs[i].Label
		rows = append(rows, similarities{run, all})
		columns = append(columns, table.Value(table.Right(run).CSV(whole(run)).Optional(1).Digits(3),
			func(s *similarities) any { return s.all[i] }))
	}
	return table.Of(rows, columns...)
}

// printMatrixNote prints the meaning of the numbers of a matrix.
func printMatrixNote(w table.Text, g diff.Clustering, matrix string) {
	w.Blank()
	switch matrix {
	case "members":
		w.Prose("gap: to the nearest σ of the iteration, as a share of σ; ends in: from most states where it starts.")
		return
	case "options", "purposes":
		w.Prose("runs: those that found it; σ: lowest to highest of its members; first: iteration.")
		return
	}
	of := "|cos_M|"
	if g.By == diff.Options {
		of = "option similarity"
	}
	w.Prose("Mean %s over all matches of the iterations that both runs have: the %s of an iteration are matched with "+
		"those of the same iteration of the other run. %s: nothing to match. Random sets are above 0, too: "+
		"--matrix iterations has their level.", of, g.By, table.None)
}

// AnswerGroup returns what a group discovered, or a matrix of it.
func AnswerGroup(g diff.Clustering, matrix string) cmdline.Answer {
	a := cmdline.Answer{JSON: g, Title: "What runs share",
		Tables: func() table.List { return table.List{newMatrix(g, matrix, wholeTable)} }}
	switch matrix {
	case "iterations":
	case "":
		a.Text = func(w table.Text) {
			for _, sentence := range strings.Split(g.Verdict, "\n") {
				w.Prose("%s", sentence)
			}
			for _, note := range g.Notes {
				w.Prose("note: %s", textfmt.EscapeLine(note))
			}
			printEvidence(w, g)
		}
	default:
		a.Text = func(w table.Text) {
			w.Table(newMatrix(g, matrix, distinctTable))
			printMatrixNote(w, g, matrix)
		}
	}
	return a
}

// newMatrix returns the table that --matrix names; for "", that of distinct purposes or options.
func newMatrix(g diff.Clustering, matrix string,
	ofDistinct func(diff.Clustering, diff.Kind, []diff.Distinct) *table.Table) *table.Table {
	switch matrix {
	case "iterations":
		return agreementTable(g)
	case "members":
		return memberTable(g)
	case "runs":
		return similarityTable(g)
	case string(diff.Purposes):
		return ofDistinct(g, diff.Purposes, g.Purposes)
	}
	return ofDistinct(g, g.By, g.Distinct())
}
