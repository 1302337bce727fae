package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// Bands shows the states that groups of runs visited over the steps: means, with bands of their intervals.
type Bands struct {
	Filter string      `json:"filter"` // of all runs
	Of     group.Bands `json:"of"`
}

// Table implements [Figure].
func (b Bands) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(b.Of.By), "step", "n", "mean", "interval_low", "interval_high")}
	for _, g := range b.Of.Groups {
		for i, step := range b.Of.Steps {
			t.add(g.Values, step, g.N[i], g.Mean[i], g.Low[i], g.High[i])
		}
	}
	return t
}

func (b Bands) caption() string {
	return fmt.Sprintf("Distinct states visited of %s, against steps; %s.", b.Filter, groupSizes(b.chart().Keys))
}

func (b Bands) chart() chart.Chart {
	p := chart.Panel{
		X: stepAxis(b.Of.Steps[len(b.Of.Steps)-1]),
		Y: chart.Axis{Label: "distinct states visited", Margin: true}, Aspect: 0.5,
	}
	c := chart.Chart{Columns: 1,
		Title: fmt.Sprintf("States visited over time of %s by %s", b.Filter, strings.Join(b.Of.By, ", ")),
		Keys:  groupKeys(b.Of.By, b.Of.Groups, func(g group.Band) group.Group { return g.Group })}
	bands := false
	all := make([]series, len(b.Of.Groups))
	for i, g := range b.Of.Groups {
		s := series{Key: c.Keys[i]}
		for n, step := range b.Of.Steps {
			s.add(float64(step), "step "+palette.Whole(int(step)), g.Mean[n], g.Low[n], g.High[n])
		}
		s.dots.Points = marked(s.mean, i, len(all))
		all[i], bands = s, bands || len(s.low) > 1
	}
	drawSeries(&p, 0.15, all)
	c.Notes, c.Panels = b.notes(bands), []chart.Panel{p}
	return c
}

func (b Bands) notes(bands bool) (notes []string) {
	notes = []string{noteOfMeans(bands, b.Of.Level, b.Of.Interval, ", at each step by itself")}
	endsEarly := func(g group.Band) bool { return g.N[len(g.N)-1] < len(g.Runs) } // a run has fewer steps than others
	if slices.ContainsFunc(b.Of.Groups, endsEarly) {
		notes = append(notes, "Some runs are shorter than others; each counts as far as it goes.")
	}
	return append(notes, statesNote(b.Of.States[0], b.Of.States[len(b.Of.States)-1], b.Of.Observed))
}
