package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
)

// distinctTable returns a table of the eigenpurposes that at least the given number of runs found.
func distinctTable(g diff.Clustering, least int) *table.Table {
	t := table.New(table.Left("purpose"), table.Right("mean σ"), table.Right("runs"), table.Right("prevalence"),
		table.Right("low"), table.Right("high"), table.Right("first"), table.Right("directions").Optional(1),
		table.Left("seeds"))
	for _, p := range g.Purposes {
		if p.Runs < least {
			continue
		}
		t.Add(p.Name, fmt.Sprintf("%.3f", p.Sigma), fmt.Sprint(p.Runs), fmt.Sprintf("%.2f", p.Prevalence),
			fmt.Sprintf("%.2f", p.Low), fmt.Sprintf("%.2f", p.High), fmt.Sprint(p.First), fmt.Sprint(p.Directions),
			seedsOf(g, p))
	}
	return t
}

// seedsOf returns the seeds of the runs that found an eigenpurpose, abbreviated.
func seedsOf(g diff.Clustering, p diff.DistinctPurpose) string {
	var seeds []uint64
	for i, first := range p.Found {
		if first != nil {
			seeds = append(seeds, g.Runs[i].Seed)
		}
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	var parts []string
	for from := 0; from < len(seeds); {
		to := from
		for to+1 < len(seeds) && seeds[to+1] == seeds[to]+1 {
			to++
		}
		part := fmt.Sprint(seeds[from])
		if to > from {
			part += fmt.Sprintf("-%d", seeds[to])
		}
		parts, from = append(parts, part), to+1
	}
	return shortList(parts, 8)
}

func shortList(parts []string, limit int) string {
	if len(parts) > limit {
		return strings.Join(parts[:limit], ",") + ",…"
	}
	return strings.Join(parts, ",")
}

func printGroupNotes(w io.Writer, g diff.Clustering, least int) error {
	runs, left := len(g.Runs), 0
	for _, p := range g.Purposes {
		if p.Runs < least {
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(w, "… and %d that a single run found; --matrix purposes, --json and --format csv have all\n", left)
	}
	fmt.Fprintf(w, "\n%s among %s of %s; two directions of one purpose have |cos_M| ≥ %.3g.\n",
		cmdline.Plural(len(g.Purposes), "distinct purpose"), cmdline.Plural(g.Directions, "direction"),
		cmdline.Plural(runs, "run"), g.Threshold)
	fmt.Fprintf(w, "Chance level for random sets of the largest size in %s: mean |cos_M| %.2f, 95th percentile %.2f.\n",
		cmdline.Plural(g.Dimensions, "dimension"), g.Chance.Mean, g.Chance.P95)
	if mean := meanSimilarity(g); mean != nil {
		fmt.Fprintf(w, "Matched iteration by iteration, two runs have a mean |cos_M| of %.2f.\n", *mean)
	}
	printShorter(w, g)
	for _, r := range g.Empty {
		fmt.Fprintf(w, "Run %s has no iterations and is left out.\n", r.Label)
	}
	_, err := fmt.Fprintln(w, "first: earliest iteration. low, high: 95 % interval of the prevalence (Wilson).")
	return err
}

// printShorter prints which runs had fewer iterations in which to find an eigenpurpose.
func printShorter(w io.Writer, g diff.Clustering) {
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
		fmt.Fprintf(w, "With fewer than %s: %s.\n", cmdline.Plural(most, "iteration"),
			strings.ReplaceAll(shortList(shorter, 8), ",", ", "))
	}
}

func meanSimilarity(g diff.Clustering) *float64 {
	sum, n := 0.0, 0
	for i, row := range g.Similarity {
		for _, x := range row[:i] {
			if x != nil {
				sum += *x
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}

// foundTable returns a table with one row per eigenpurpose and one column per run: the first
// iteration that found it.
func foundTable(g diff.Clustering) *table.Table {
	t := table.New(table.Left("purpose"))
	for _, r := range g.Runs {
		t.Columns = append(t.Columns, table.Right(r.Label).Optional(1))
	}
	for _, p := range g.Purposes {
		row := []string{p.Name}
		for _, first := range p.Found {
			if first == nil {
				row = append(row, table.None)
			} else {
				row = append(row, fmt.Sprint(*first))
			}
		}
		t.Add(row...)
	}
	return t
}

func similarityTable(g diff.Clustering) *table.Table {
	t := table.New(table.Left("run"))
	for i, r := range g.Runs {
		t.Columns = append(t.Columns, table.Right(r.Label).Optional(1))
		row := []string{r.Label}
		for _, x := range g.Similarity[i] {
			row = append(row, table.Number(x, 3))
		}
		t.Add(row...)
	}
	return t
}
