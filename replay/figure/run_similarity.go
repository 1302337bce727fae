package figure

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// RunSimilarity shows the similarity of many runs: for any two of them the mean |cos_M| of their
// matched purposes.
type RunSimilarity struct {
	Runs       []string         `json:"runs"`
	Similarity [][]*float64     `json:"similarity"`
	Chance     diff.ChanceLevel `json:"chance"`
}

// NewRunSimilarity returns the figure of a clustering.
func NewRunSimilarity(g diff.Clustering) (RunSimilarity, error) {
	f := RunSimilarity{Similarity: g.Similarity, Chance: g.Chance}
	for _, r := range g.Runs {
		f.Runs = append(f.Runs, r.Label)
	}
	if len(f.Runs) < 2 {
		return f, schema.Advise(fmt.Errorf("%w: it takes two runs with iterations, and there are %d", ErrEmpty,
			len(f.Runs)), AdviceMoreRuns)
	}
	return f, nil
}

// Table implements [Figure].
func (f RunSimilarity) Table() DataTable {
	t := DataTable{Columns: []string{"a", "b", "similarity", "chance_mean", "chance_p95"}}
	for i, a := range f.Runs {
		for j, b := range f.Runs {
			t.add(a, b, report.FormatExact(f.Similarity[i][j]), report.FormatExact(&f.Chance.Mean),
				report.FormatExact(&f.Chance.P95))
		}
	}
	return t
}

func (f RunSimilarity) chart() chart {
	rows, names, height := make([][]float64, len(f.Runs)), f.Runs, rowHeight(len(f.Runs))
	if len(names) > mostRows {
		names = make([]string, len(f.Runs))
	}
	lowest, missing := f.Chance.Mean, false
	for i, row := range f.Similarity {
		for _, x := range row {
			value := math.NaN()
			if missing = missing || x == nil; x != nil {
				value, lowest = *x, min(lowest, *x)
			}
			rows[i] = append(rows[i], value)
		}
	}
	p := panel{x: columnAxis("run", names), y: rowAxis("run", names), height: height * float64(len(rows)), aspect: 0.55}
	p.marks = []mark{cells{rows: rows, ink: func(x float64) ink { return diverging(-(x - lowest) / (1 - lowest)) }}}
	s := &scale{
		label: "mean |cos_M|", low: fmt.Sprintf("%.2f", lowest), high: "1",
		ink: func(share float64) ink { return diverging(-share) },
	}
	note := fmt.Sprintf("Chance makes of random purposes a mean of %.2f (95 %% point %.2f).", f.Chance.Mean,
		f.Chance.P95)
	if missing {
		note += " Grey: no iteration in which both selected a purpose."
	}
	return chart{
		title: fmt.Sprintf("Purpose similarity of %d runs", len(f.Runs)), columns: 1, panels: []panel{p},
		scale: s, notes: []string{note},
	}
}
