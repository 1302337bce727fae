package groupview

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// comparisonGrid returns a table with one row per measure and iteration. In CSV, numbers have full
// precision.
func comparisonGrid(c group.Comparison, csv bool, shown iterations) *table.Table {
	if csv {
		return comparisonCSV(c, shown)
	}
	a, b := namesOf(c)
	countA, meanA, countB, meanB := "n "+a, a+": mean ± sd", "n "+b, b+": mean ± sd"
	difference, improvement := b+" − "+a, fmt.Sprintf("P(%s > %s)", b, a)
	g := table.New(table.Left("measure"), table.Right("k"), table.Right(countA).Optional(2),
		table.Right(meanA).Optional(6), table.Right(countB).Optional(2), table.Right(meanB).Optional(5))
	if c.Pairing != nil {
		g.Columns = append(g.Columns, table.Right("pairs").Optional(1))
	}
	level := intervalTitle(c.Level)
	g.Columns = append(g.Columns, table.Right(difference), table.Left(level), table.Right(improvement).Optional(4),
		table.Left(level).Optional(3))
	for _, m := range c.Measures {
		name, _ := report.MeasureTitle(m.Measure)
		digits := report.MeasureDigits(m.Measure)
		for _, row := range m.Iterations {
			if !shown.shows(row.K) {
				continue
			}
			cells := []string{name, fmt.Sprint(row.K), fmt.Sprint(row.A.N), plusMinus(row.A, digits), fmt.Sprint(row.B.N),
				plusMinus(row.B, digits)}
			if row.Pairs != nil {
				cells = append(cells, fmt.Sprint(*row.Pairs))
			}
			cells = append(cells, estimateCells(row.Difference, digits)...)
			g.Add(append(cells, improvementCells(row.Improvement)...)...)
			name = "" // printed once per block
		}
	}
	return g
}

func comparisonCSV(c group.Comparison, shown iterations) *table.Table {
	groups := []group.Group{c.A, c.B}
	g := table.New(table.Left("measure"), table.Left("k"))
	for _, prefix := range []string{"a_", "b_"} {
		for _, name := range summaryColumns {
			g.Columns = append(g.Columns, table.Right(prefix+name))
		}
	}
	for _, name := range []string{"pairs", "difference", "difference_interval_low", "difference_interval_high",
		"improvement", "improvement_interval_low", "improvement_interval_high", "p_value",
		"a_interval_low", "a_interval_high", "b_interval_low", "b_interval_high", "a_censored", "a_budget", "b_censored",
		"b_budget", "difference_level", "a_label", "b_label"} {
		g.Columns = append(g.Columns, table.Right(name))
	}
	for _, m := range c.Measures {
		for _, row := range m.Iterations {
			if !shown.shows(row.K) {
				continue
			}
			cells := append([]string{m.Measure, fmt.Sprint(row.K)}, summaryCells(row.A, textfmt.FormatExact)...)
			cells = append(cells, summaryCells(row.B, textfmt.FormatExact)...)
			pairs := ""
			if row.Pairs != nil {
				pairs = fmt.Sprint(*row.Pairs)
			}
			cells = append(cells, pairs)
			cells = append(cells, exactEstimate(row.Difference)...)
			cells = append(cells, exactEstimate(row.Improvement)...)
			for _, x := range []*float64{row.PValue, row.A.Low, row.A.High, row.B.Low, row.B.High} {
				cells = append(cells, textfmt.FormatExact(x))
			}
			cells = append(append(cells, censoredCells(row.A)...), censoredCells(row.B)...)
			g.Add(append(cells, textfmt.FormatExact(&c.Level), group.NameOf(groups, 0), group.NameOf(groups, 1))...)
		}
	}
	return g
}

// exactEstimate returns the cells of a number and its interval, with all digits.
func exactEstimate(e *stats.Estimate) []string {
	if e == nil {
		return []string{"", "", ""}
	}
	return []string{textfmt.FormatExact(&e.Value), textfmt.FormatExact(e.Low), textfmt.FormatExact(e.High)}
}

func plusMinus(s stats.Summary, digits int) string {
	if s.Mean == nil {
		return table.None
	}
	return table.Number(s.Mean, digits) + " ± " + table.Number(s.SD, digits) + censoredText(s)
}

// estimateCells returns an estimate and its interval.
func estimateCells(e *stats.Estimate, digits int) []string {
	if e == nil {
		return []string{table.None, table.None}
	}
	return []string{table.Number(&e.Value, digits), interval(e.Low, e.High, digits)}
}

// improvementCells returns a probability of improvement and its interval. For single
// runs it can only be 0, ½ or 1, and is left out.
func improvementCells(e *stats.Estimate) []string {
	if e == nil || e.Low == nil {
		return []string{table.None, table.None}
	}
	return estimateCells(e, 2)
}
