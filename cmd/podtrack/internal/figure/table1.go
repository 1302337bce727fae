package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/schema/textform"
)

// Table1 shows the paper's Table 1: each measure over the iterations, the paper's means beside
// those of each reading.
type Table1 struct {
	Measured table1.Table `json:"measured"`
}

// Table implements [Figure].
func (f Table1) Table() DataTable {
	t := DataTable{
		Columns: []string{
			"reading", "observability", "metric", "iteration", "n", "mean", "sd", "paper_mean", "paper_sd", "z",
		},
	}
	for _, s := range f.Measured.Settings {
		for _, row := range s.Metrics {
			for _, c := range row.Cells {
				t.add(s.Reading, s.Observability, row.Metric, fmt.Sprint(c.Column), fmt.Sprint(c.N),
					textform.FormatExact(c.Mean), textform.FormatExact(c.SD),
					textform.FormatExact(c.PaperMean), textform.FormatExact(c.PaperSD), textform.FormatExact(c.Z))
			}
		}
	}
	return t
}

func (f Table1) caption() string {
	return fmt.Sprintf("Table 1 of the paper by iteration: purposes of the iteration before, option length in steps and "+
		"farthest distance in steps, under full and partial observability; n = %d runs in each reading and setting.",
		f.Measured.Runs)
}

func (f Table1) chart() Chart {
	spread := fmt.Sprintf("Bars: sd over %d runs.", f.Measured.Runs)
	if f.Measured.Runs < 2 {
		spread = "One run a setting has no spread."
	}
	c := Chart{title: "Table 1: the paper and the two readings", columns: len(table1.Observabilities),
		shared: true, sharedY: true, keys: []key{{text: "paper", ink: foreground, glyph: diamond, dash: dashed}},
		notes: []string{
			spread + " Of the paper the means of 30 runs are drawn; its spreads look exchanged between rows.",
		}}
	for i, s := range f.Measured.SettingsFor(table1.Observabilities[0].Name) {
		c.keys = append(c.keys, key{text: s.Reading, ink: series(i), glyph: glyphs[i]})
	}
	for m, metric := range table1.Metrics {
		for _, o := range table1.Observabilities {
			p := f.panel(m, o.Name)
			if m == 0 {
				p.title = fmt.Sprintf("%s observability", o.Name)
			}
			p.y.label = measureLabel(metric.Name)
			if metric.Name == "purposes" {
				p.y.label = p.y.label + " of the iteration before"
			}
			c.panels = append(c.panels, p)
		}
	}
	return c
}

// panel returns the panel of one metric under one observability. The readings are shifted
// sideways, so that their bars do not overlap.
func (f Table1) panel(metric int, observability string) panel {
	p := panel{x: iterationAxis(table1.Columns), y: axis{margin: true}, aspect: 0.55}
	settings := f.Measured.SettingsFor(observability)
	var paper []Point
	for _, cell := range settings[0].Metrics[metric].Cells {
		if cell.PaperMean != nil {
			paper = append(paper, Point{float64(cell.Column), *cell.PaperMean})
		}
	}
	for i, s := range settings {
		aside := 0.16 * (float64(i) - float64(len(settings)-1)/2)
		addMeans(&p, s.Reading, s.Metrics[metric].Cells, aside, i)
	}
	for _, at := range paper {
		p.y.include(at.Y)
	}
	var t told
	for _, at := range paper {
		t.add(at.X, at.Y, fmt.Sprintf("paper, iteration %g: %s", at.X, grammar.Short(at.Y)))
	}
	p.marks = append(p.marks, line{points: paper, ink: foreground, dash: dashed}, dots{
		points: paper, ink: foreground, glyph: diamond,
	}, t)
	return p
}

// addMeans draws a reading's means with a bar of one standard deviation each way.
func addMeans(p *panel, reading string, cells []table1.Cell, aside float64, i int) {
	d, t := dots{ink: series(i), glyph: glyphs[i]}, told{}
	for _, c := range cells {
		if c.Mean == nil {
			continue
		}
		spread := [2]float64{*c.Mean, *c.Mean}
		if c.SD != nil {
			spread = [2]float64{*c.Mean - *c.SD, *c.Mean + *c.SD}
		}
		d.points, d.spans = append(d.points, Point{float64(c.Column) + aside, *c.Mean}), append(d.spans, spread)
		t.add(float64(c.Column)+aside, *c.Mean, fmt.Sprintf("%s, iteration %d: %s", reading, c.Column,
			deviating(*c.Mean, c.SD)))
		p.y.include(spread[0], spread[1])
	}
	p.marks = append(p.marks, line{points: d.points, ink: series(i), width: 0.9}, d, t)
}
