package table1

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// minRuns is the number of runs below which a standard deviation is too inaccurate for a verdict.
const minRuns = 10

// computeVerdict summarises a reading's comparisons.
func (t Table) computeVerdict(reading string) Verdict {
	v := Verdict{Reading: reading}
	for _, s := range t.Settings {
		if s.Reading != reading {
			continue
		}
		for i, row := range s.Metrics {
			title, _ := report.MeasureTitle(row.Metric)
			for _, c := range row.Cells[1:] {
				v.add(c, fmt.Sprintf("%s, %s, iteration %d", s.Observability, title, c.Column))
				if z := zOfBoth(c, exchangedSD(s.Metrics, i, c.Column)); z != nil {
					v.LargestOfBoth = max(v.LargestOfBoth, math.Abs(*z))
				}
			}
		}
	}
	return v
}

func (v *Verdict) add(c Cell, where string) {
	if c.Z == nil {
		return
	}
	v.Comparisons++
	size := math.Abs(*c.Z)
	if size < 3 {
		v.Under3++
	}
	if size > v.Largest {
		v.Largest, v.Where = size, where
	}
}

func (v Verdict) String() string {
	if v.Consistent == nil {
		return fmt.Sprintf("Fewer than %d runs a setting are too few to judge the reading %s.", minRuns,
			v.Reading)
	}
	are := "are consistent with the reading %s, from which no difference is settled"
	if !*v.Consistent {
		are = "are not consistent with the reading %s"
	}
	return fmt.Sprintf("Table 1's means "+are+": |z| < 3 in %d of %d comparisons over iterations 1 to 5, "+
		"the largest %.1f (%s); chance alone exceeds %.1f in five of 100 such tables.",
		v.Reading, v.Under3, v.Comparisons, v.Largest, v.Where, v.Chance)
}

// verdicts returns the verdicts of all readings.
func (t Table) verdicts() []Verdict {
	var all []Verdict
	tests := 0
	for _, reading := range schema.Readings() {
		v := t.computeVerdict(reading)
		all, tests = append(all, v), tests+v.Comparisons
	}
	for i := range all {
		all[i].settle(t.Runs, tests)
	}
	return all
}

// settle decides whether the means are consistent with the reading, that is, whether no difference is settled: the
// largest |z| is one that chance exceeds in 5 of 100 tables of so many tests, by Student's t with the n−1 degrees of
// freedom of s.
func (v *Verdict) settle(runs, tests int) {
	if v.Comparisons == 0 || runs < 2 {
		return
	}
	level := stats.Bonferroni(stats.Level, tests)
	z := stats.Deviation{Error: 1, Freedom: float64(runs - 1)}
	v.Chance = *z.At(level).High
	if runs >= minRuns {
		z.Value = v.Largest
		adjusted := min(1, *z.PValue()*float64(tests))
		consistent := !stats.Settle(&adjusted, z.At(level)).IsSettled()
		v.Consistent = &consistent
	}
}

// Remarks returns the remarks under the table, a paragraph each.
func (t Table) Remarks() (paragraphs []string) {
	for _, v := range t.Verdicts {
		paragraphs = append(paragraphs, v.String())
	}
	if t.Spread != "" {
		paragraphs = append(paragraphs, t.Spread)
	}
	return append(paragraphs, remarkOnReadings, remarkOnPaper)
}

const (
	remarkOnReadings = `"Consistent with" is not more than that. The paper's definitions name rows of Vᵀ, which is ` +
		"as-written; numpy returns Vᵀ under the name V, so that V.T[j] is a row of V, which as-published takes: " +
		"a conjecture, not a statement of the authors."
	remarkOnPaper = "Also unexplained: its iteration-0 distance of 29.3 lies under the two-sided distance measured here " +
		"and fits a one-sided or a final one."
)
