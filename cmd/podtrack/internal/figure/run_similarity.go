package figure

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// RunSimilarity shows the similarity of many runs as a heat map: for any two of them the mean over their matched
// purposes, or options.
type RunSimilarity struct {
	By         diff.Kind
	Runs       []string
	Similarity [][]*float64
	Chance     *float64 // of random sets: the mean, of options over iterations; nil if unknown
	ChanceP95  *float64
}

// NewRunSimilarity returns the figure of a comparison of a group.
func NewRunSimilarity(g diff.Clustering) (RunSimilarity, error) {
	f := RunSimilarity{By: g.By, Chance: meanChance(g), Similarity: g.RunSimilarity()}
	if len(g.Runs) < 2 {
		return f, schema.Hint(fmt.Errorf("%w: it takes two runs with iterations, and there are %d", ErrEmpty,
			len(g.Runs)), "choose more; podtrack ls lists them")
	}
	if g.By == diff.Purposes && g.Chance.Draws > 0 {
		f.Chance, f.ChanceP95 = &g.Chance.Mean, &g.Chance.P95
	}
	f.Runs = textfmt.Map(g.Runs, func(r diff.Member) string { return r.Label })
	return f, nil
}

// meanChance returns the mean chance level over the iterations, nil if there is none.
func meanChance(g diff.Clustering) *float64 {
	sum, n := 0.0, 0
	for _, a := range g.Iterations {
		if a.Of == g.By && a.Chance != nil {
			sum, n = sum+*a.Chance, n+1
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

// Table implements [Figure].
func (r RunSimilarity) Table() DataTable {
	t := DataTable{Columns: []string{"a", "b", "similarity", "chance_mean", "chance_p95"}}
	for i, a := range r.Runs {
		for j, b := range r.Runs {
			t.add(a, b, r.Similarity[i][j], r.Chance, r.ChanceP95)
		}
	}
	return t
}

// maxRows is how many runs a heat map has room for, one by one.
const maxRows int = pageHeight / leastRowHeight

// CheckRows returns an error for more runs than a heat map has room for. A table may have more.
func CheckRows(n int, format string) error {
	if n <= maxRows || format == "csv" {
		return nil
	}
	return schema.Hint(fmt.Errorf("%d runs in one heat map", n), "choose at most %d; --format csv writes all", maxRows)
}

func (r RunSimilarity) caption() string {
	return fmt.Sprintf("%s: %s of any two, mean over their iterations.", r.title(), r.measure())
}

func (r RunSimilarity) chart() chart.Chart {
	names, height := r.Runs, rowHeight(len(r.Runs))
	if len(names) > mostRows {
		names = make([]string, len(r.Runs))
	}
	rows, low, high, missing := r.cells()
	zero := low // paper: the chance level, or the lowest number; another hue is below it
	if r.Chance != nil {
		zero = *r.Chance
	}
	ink := func(x float64) chart.Ink { return chart.DivergingInk((x - zero) / max(high-zero, zero-low)) }
	p := chart.Panel{X: chart.ColumnAxis("run", names), Y: chart.RowAxis("run", names),
		Height: height * float64(len(rows)), Aspect: 0.5}
	p.Marks = []chart.Mark{chart.Cells{
		Rows: rows, Ink: ink,
		Tell: func(i, j int) string {
			return fmt.Sprintf("%s and %s: %s", r.Runs[i], r.Runs[j], palette.Short(rows[i][j]))
		},
	}}
	s := &chart.Scale{Label: r.measure(), Low: palette.Number("chance", low), High: palette.Number("chance", high),
		Ink: func(share float64) chart.Ink { return ink(low + share*(high-low)) }}
	if r.Chance != nil {
		s.Mark = &chart.ScaleMark{At: (*r.Chance - low) / (high - low), Text: "chance " + palette.Number("chance", *r.Chance)}
	}
	return chart.Chart{Title: r.title(), Columns: 1, Panels: []chart.Panel{p}, Scale: s, Notes: r.notes(missing)}
}

// cells returns the matrix without its diagonal, which is always 1, the range of its numbers and of the chance level,
// and whether a number is missing.
func (r RunSimilarity) cells() (rows [][]float64, low, high float64, missing bool) {
	low, high = 1, 0
	if r.Chance != nil {
		low, high = *r.Chance, *r.Chance
	}
	for i, row := range r.Similarity {
		values := make([]float64, len(row))
		for j, x := range row {
			values[j] = math.NaN()
			if missing = missing || x == nil && i != j; x != nil && i != j {
				values[j], low, high = *x, min(low, *x), max(high, *x)
			}
		}
		rows = append(rows, values)
	}
	if low > high {
		low, high = 0, 1 // there is none
	}
	return rows, min(low, high-0.01), high, missing
}

func (r RunSimilarity) measure() string {
	if r.By == diff.Options {
		return "mean option similarity"
	}
	return "mean |cos_M|"
}

func (r RunSimilarity) title() string {
	of := map[diff.Kind]string{diff.Options: "Option", diff.Purposes: "Purpose"}[r.By]
	return fmt.Sprintf("%s similarity of %d runs", of, len(r.Runs))
}

func (r RunSimilarity) notes(missing bool) (notes []string) {
	if r.Chance != nil {
		chance := fmt.Sprintf("Chance: random sets of these sizes have a mean similarity of %.2f", *r.Chance)
		if r.ChanceP95 != nil {
			chance += fmt.Sprintf(", 95th percentile of single matches %.2f", *r.ChanceP95)
		}
		notes = append(notes, chance+".")
	}
	grey := "Grey: a run and itself, always 1 and not on the scale"
	if missing {
		grey += "; no iteration in which both selected something"
	}
	return append(notes, grey+".")
}
