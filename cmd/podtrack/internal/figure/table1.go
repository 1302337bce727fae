package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Table1 shows the paper's Table 1: each measure over the iterations, the paper's means beside
// those of each reading.
type Table1 struct {
	Measured table1.Table `json:"measured"`
}

// Table implements [Figure].
func (t Table1) Table() DataTable {
	data := DataTable{
		Columns: []string{
			"reading", "observability", "metric", "iteration", "n", "mean", "sd", "paper_mean", "paper_sd", "z",
		},
	}
	for _, s := range t.Measured.Settings {
		for _, row := range s.Metrics {
			for _, c := range row.Cells {
				data.add(s.Reading, s.Observability, row.Metric, fmt.Sprint(c.Column), fmt.Sprint(c.N),
					textfmt.FormatExact(c.Mean), textfmt.FormatExact(c.SD),
					textfmt.FormatExact(c.PaperMean), textfmt.FormatExact(c.PaperSD), textfmt.FormatExact(c.Z))
			}
		}
	}
	return data
}

func (t Table1) caption() string {
	return fmt.Sprintf("Table 1 of the paper by iteration: purposes of the iteration before, option length in steps and "+
		"farthest distance in steps, under full and partial observability; n = %d runs in each reading and setting.",
		t.Measured.Runs)
}

func (t Table1) chart() chart.Chart {
	spread := fmt.Sprintf("Bars: sd over %d runs.", t.Measured.Runs)
	if t.Measured.Runs < 2 {
		spread = "One run a setting has no spread."
	}
	c := chart.Chart{Title: "Table 1: the paper and the two readings", Columns: len(table1.Observabilities),
		Shared: true, SharedY: true,
		Keys: []chart.Key{{Text: "paper", Ink: chart.Foreground, Glyph: chart.Diamond, Dash: chart.Dashed}},
		Notes: []string{
			spread + " Of the paper the means of 30 runs are drawn; its spreads look exchanged between rows.",
		}}
	for i, s := range t.Measured.SettingsFor(table1.Observabilities[0].Name) {
		c.Keys = append(c.Keys, chart.Key{Text: s.Reading, Ink: chart.SeriesInk(i), Glyph: chart.Glyphs[i]})
	}
	for m, metric := range table1.Metrics {
		for _, o := range table1.Observabilities {
			p := t.panel(m, o.Name)
			if m == 0 {
				p.Title = fmt.Sprintf("%s observability", o.Name)
			}
			p.Y.Label = measureLabel(metric.Name)
			if metric.Name == "purposes" {
				p.Y.Label = p.Y.Label + " of the iteration before"
			}
			c.Panels = append(c.Panels, p)
		}
	}
	return c
}

// panel returns the panel of one metric under one observability. The readings are shifted
// sideways, so that their bars do not overlap.
func (t Table1) panel(metric int, observability string) chart.Panel {
	p := chart.Panel{X: iterationAxis(table1.Columns), Y: chart.Axis{Margin: true}, Aspect: 0.55}
	settings := t.Measured.SettingsFor(observability)
	var paper []chart.Point
	for _, cell := range settings[0].Metrics[metric].Cells {
		if cell.PaperMean != nil {
			paper = append(paper, chart.Point{X: float64(cell.Column), Y: *cell.PaperMean})
		}
	}
	for i, s := range settings {
		aside := 0.16 * (float64(i) - float64(len(settings)-1)/2)
		addMeans(&p, s.Reading, s.Metrics[metric].Cells, aside, i)
	}
	for _, at := range paper {
		p.Y.Include(at.Y)
	}
	var readouts chart.Readouts
	for _, at := range paper {
		readouts.Add(at.X, at.Y, fmt.Sprintf("paper, iteration %g: %s", at.X, palette.Short(at.Y)))
	}
	p.Marks = append(p.Marks, chart.Line{Points: paper, Ink: chart.Foreground, Dash: chart.Dashed}, chart.Dots{
		Points: paper, Ink: chart.Foreground, Glyph: chart.Diamond,
	}, readouts)
	return p
}

// addMeans draws a reading's means with a bar of one standard deviation each way.
func addMeans(p *chart.Panel, reading string, cells []table1.Cell, aside float64, i int) {
	d, t := chart.Dots{Ink: chart.SeriesInk(i), Glyph: chart.Glyphs[i]}, chart.Readouts{}
	for _, c := range cells {
		if c.Mean == nil {
			continue
		}
		spread := [2]float64{*c.Mean, *c.Mean}
		if c.SD != nil {
			spread = [2]float64{*c.Mean - *c.SD, *c.Mean + *c.SD}
		}
		d.Points, d.Spans = append(d.Points, chart.Point{X: float64(c.Column) + aside, Y: *c.Mean}), append(d.Spans, spread)
		t.Add(float64(c.Column)+aside, *c.Mean, fmt.Sprintf("%s, iteration %d: %s", reading, c.Column,
			palette.Deviating(*c.Mean, c.SD)))
		p.Y.Include(spread[0], spread[1])
	}
	p.Marks = append(p.Marks, chart.Line{Points: d.Points, Ink: chart.SeriesInk(i), Width: 0.9}, d, t)
}
