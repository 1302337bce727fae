package table1

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
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
	paragraphs = textfmt.Map(t.Verdicts, Verdict.String)
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

// SDRatios are the ranges, over iterations 1 to 5, of the paper's standard deviations in multiples of
// ours. A range is nil if ours are 0 or not known.
type SDRatios struct {
	Printed   *Range `json:"printed"`
	Exchanged *Range `json:"exchanged"` // with the parentheses of the first two rows exchanged, as they look
}

// Range is from the lowest to the highest of some numbers.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (r *Range) String() string {
	if r == nil {
		return "not known"
	}
	return fmt.Sprintf("%.1f to %.1f", r.Low, r.High)
}

// include returns the range with another number in it.
func (r *Range) include(x float64) *Range {
	if r == nil {
		return &Range{x, x}
	}
	return &Range{min(r.Low, x), max(r.High, x)}
}

// exchangedSD returns the paper's standard deviation of row i in a column, if the parentheses of the first two
// rows are exchanged; nil if there is none.
func exchangedSD(rows []Row, i, column int) *float64 {
	if i < 2 {
		i = 1 - i
	}
	if i >= len(rows) {
		return nil
	}
	return rows[i].Cells[column].PaperSD
}

// addSDRatios sets the ratios of standard deviations of all rows of a setting.
func addSDRatios(rows []Row) {
	for i := range rows {
		for column, c := range rows[i].Cells {
			if column == 0 || c.SD == nil || *c.SD == 0 {
				continue
			}
			r := &rows[i].SDRatios
			r.Printed = r.Printed.include(*c.PaperSD / *c.SD)
			r.Exchanged = r.Exchanged.include(*exchangedSD(rows, i, column) / *c.SD)
		}
	}
}

// zOfBoth returns the difference of the means in standard errors like [z], with the deviation of each
// sample for its own half: paperSD is the paper's. It returns nil without both deviations.
func zOfBoth(c Cell, paperSD *float64) *float64 {
	if c.SD == nil || paperSD == nil {
		return nil
	}
	return new((*c.Mean - *c.PaperMean) / math.Sqrt(*c.SD**c.SD/float64(c.N)+*paperSD**paperSD/PaperRuns))
}

// chanceSDRatio returns what the largest of so many ratios of standard deviations exceeds in 1 of 100
// tables, were all samples normal with the same deviation: Bonferroni's bound, by F with the degrees of
// freedom of both.
func chanceSDRatio(runs, comparisons int) float64 {
	paper, ours := float64(PaperRuns-1), float64(runs-1)
	x := mathext.InvRegIncBeta(paper/2, ours/2, 1-0.01/float64(2*comparisons))
	return math.Sqrt(ours * x / (paper * (1 - x)))
}

// spreadReading is the reading whose standard deviations the paper's are compared with.
const spreadReading = "as-published"

// Spread is a row's standard deviations beside the paper's.
type Spread struct {
	Observability string
	Metric        string
	SDRatios
}

// Spreads returns the rows of the reading whose means fit, nil for too few runs.
func (t Table) Spreads() (spreads []Spread) {
	if t.Runs < minRuns {
		return nil
	}
	for _, s := range t.Settings {
		if s.Reading != spreadReading {
			continue
		}
		for _, row := range s.Metrics {
			spreads = append(spreads, Spread{s.Observability, row.Metric, row.SDRatios})
		}
	}
	return spreads
}

// remarkOnSpreads returns the remark on the standard deviations, "" for too few runs.
func (t Table) remarkOnSpreads() string {
	spreads := t.Spreads()
	if len(spreads) == 0 {
		return ""
	}
	var all *Range
	for _, s := range spreads {
		if s.Exchanged != nil {
			all = all.include(s.Exchanged.Low).include(s.Exchanged.High)
		}
	}
	largest := textfmt.Map(t.Verdicts,
		func(v Verdict) string { return fmt.Sprintf("%.1f for %s", v.LargestOfBoth, v.Reading) })
	return fmt.Sprintf("This concerns only the means. The paper's standard deviations are not those of %s: the "+
		"parentheses of its first two rows look exchanged (20.9 cannot be the deviation of a count from 0 to 9), and "+
		"read so they are %s times ours over iterations 1 to 5; chance alone exceeds a factor of %.1f in one of 100 such "+
		"tables, were all runs normal. Why its runs spread so much is not known. z takes our deviation for both sides; "+
		"with the paper's for its own side, exchanged, the largest |z| is %s.", spreadReading, all,
		chanceSDRatio(t.Runs, len(spreads)*(Columns-1)), strings.Join(largest, " and "))
}
