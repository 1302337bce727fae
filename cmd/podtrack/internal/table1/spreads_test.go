package table1

import (
	"math"
	"strings"
	"testing"
)

// TestChanceSDRatio takes the critical values from SciPy: sqrt(f.ppf(1 - 0.01/60, 29, n - 1)).
func TestChanceSDRatio(t *testing.T) {
	for runs, want := range map[int]float64{10: 3.6500572389430057, 30: 2.0083913220049703, 300: 1.5378539990493727} {
		if got := chanceSDRatio(runs, 30); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d runs: %v, want %v", runs, got, want)
		}
	}
}

// spreadTable is a table of the reading as-published whose three rows have the paper's deviations 10, 1 and
// 6 in all columns, and ours of 0.5, 5 and 3 in column 1, half of that in column 2.
func spreadTable(runs int) Table {
	var rows []Row
	for i, paper := range []float64{10, 1, 6} {
		row := Row{Metric: Metrics[i].Name}
		for c := range Columns {
			cell := Cell{Column: c, N: runs, PaperSD: new(paper), PaperMean: new(8.0)}
			if ours := []float64{0.5, 5, 3}[i]; c == 1 || c == 2 {
				cell.SD, cell.Mean = new(ours/float64(c)), new(7.0)
			}
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	rows[2].Cells[0].SD = new(0.001) // iteration 0 has no options and does not count
	rows[2].Cells[3].SD = new(0.0)   // nothing is a multiple of it
	addSDRatios(rows)
	t := Table{Runs: runs, Settings: []Setting{{Reading: "as-published", Observability: "full", Metrics: rows}}}
	rows[2].Cells[3].SD = nil
	t.Verdicts = t.verdicts()
	t.Spread = t.remarkOnSpreads()
	return t
}

// TestSpreads: the deviations of the first two rows are compared as printed, and exchanged.
func TestSpreads(t *testing.T) {
	want := []struct{ printed, exchanged Range }{
		{Range{20, 40}, Range{2, 4}}, {Range{0.2, 0.4}, Range{2, 4}}, {Range{2, 4}, Range{2, 4}},
	}
	table := spreadTable(30)
	spreads := table.Spreads()
	if len(spreads) != len(want) {
		t.Fatalf("%d spreads", len(spreads))
	}
	for i, w := range want {
		if s := spreads[i]; *s.Printed != w.printed || *s.Exchanged != w.exchanged {
			t.Errorf("%s: %v as printed, %v exchanged; want %+v", s.Metric, s.Printed, s.Exchanged, w)
		}
	}
	if !strings.Contains(table.Spread, "they are 2.0 to 4.0 times ours") {
		t.Error(table.Spread)
	}
	// The largest |z| is of purposes in iteration 2: 1 / √(0.25²/30 + 1²/30).
	if z, want := table.Verdicts[1].LargestOfBoth, 1/math.Sqrt((0.0625+1)/30); math.Abs(z-want) > 1e-12 {
		t.Errorf("largest |z| with both deviations %v, want %v", z, want)
	}
	if least := spreadTable(minRuns); least.Spreads() == nil || least.Spread == "" {
		t.Error("nothing is said of ten runs")
	}
	if few := spreadTable(minRuns - 1); few.Spreads() != nil || few.Spread != "" {
		t.Errorf("of too few runs: %s", few.Spread)
	}
}
