package figure

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Lineage shows which purposes of a run continue one of the previous iteration.
type Lineage struct {
	Run       string        `json:"run"`
	Threshold float64       `json:"threshold"` // of |cos_M|
	Lines     []LineageLine `json:"lines"`     // in the order in which they begin
}

// LineageLine is one direction, from its first iteration to the last consecutive one.
type LineageLine struct {
	First int   `json:"born"` // iteration
	Js    []int `json:"j"`    // its rank by σ, one for each iteration
}

// NewLineage returns the figure of a run's lineages, which were traced with a threshold of |cos_M|.
func NewLineage(run Source, lines []diff.Lineage, threshold float64) (Lineage, error) {
	f := Lineage{Run: run.name(), Threshold: threshold}
	if err := run.check(); err != nil {
		return f, err
	}
	for _, l := range lines {
		made := LineageLine{First: l.First}
		for _, name := range l.Purposes {
			ref, err := report.ParseRef(name)
			if err != nil {
				return f, err
			}
			made.Js = append(made.Js, ref.J)
		}
		f.Lines = append(f.Lines, made)
	}
	if len(f.Lines) == 0 {
		return f, schema.Advise(fmt.Errorf("%w: %s selected no purpose", ErrEmpty, f.Run), AdvicePlotSpectrum, f.Run)
	}
	return f, nil
}

// Table implements [Figure].
func (l Lineage) Table() DataTable {
	t := DataTable{Columns: []string{"line", "iteration", "j"}}
	for i, line := range l.Lines {
		for k, j := range line.Js {
			t.add(fmt.Sprint(i), fmt.Sprint(line.First+k), fmt.Sprint(j))
		}
	}
	return t
}

// manyIterations is the number of iterations above which marks are smaller.
const manyIterations = 20

// mostLines is the number of lines that a page has room for.
const mostLines int = pageHeight / leastRowHeight

// mostSingle is the number of lines above which those of a single iteration are left out, if there are others.
const mostSingle = 60

// shown returns the lines, in the order in which they begin, and notes on what is left out. If a page has no room for
// all, they are those of most iterations.
func (l Lineage) shown() (lines []LineageLine, notes []string) {
	isSingle := func(line LineageLine) bool { return len(line.Js) == 1 }
	lines = slices.Clone(l.Lines)
	if !slices.ContainsFunc(lines, func(line LineageLine) bool { return !isSingle(line) }) {
		notes = append(notes, "No direction goes on in the next iteration.")
	} else if len(lines) > mostSingle {
		lines = slices.DeleteFunc(lines, isSingle)
	}
	if len(lines) > mostLines {
		slices.SortStableFunc(lines, func(a, b LineageLine) int { return len(b.Js) - len(a.Js) })
		lines = lines[:mostLines]
		slices.SortStableFunc(lines, func(a, b LineageLine) int { return a.First - b.First })
	}
	if len(lines) < len(l.Lines) {
		notes = append(notes, fmt.Sprintf("Shown are %d of %d directions, those that go on longest. The figure's numbers "+
			"have all.", len(lines), len(l.Lines)))
	}
	return lines, notes
}

func (l Lineage) caption() string {
	return fmt.Sprintf("Eigenpurposes of %s by iteration, those that continue one of the iteration before on one line.",
		l.Run)
}

func (l Lineage) chart() chart.Chart {
	lines, notes := l.shown()
	last := 0
	for _, line := range l.Lines {
		last = max(last, line.First+len(line.Js)-1)
	}
	height := max(min(13, pageHeight/float64(len(lines))), leastRowHeight)
	aside := min(max(0.25, 0.02*float64(last)), chart.HalfWhole)
	p := chart.Panel{X: chart.Axis{Label: "iteration", Low: -aside, High: float64(last) + aside, Whole: true, Plain: true},
		Y: chart.Axis{Label: "purposes, oldest first", Low: 0.4 - float64(len(lines)), High: 0.9, Ticks: []chart.Tick{},
			Plain: true},
		Height: height * (float64(len(lines)) + 0.5)}
	for i, line := range lines {
		d := chart.Dots{Ink: chart.SeriesInk(0), Glyph: chart.Disc}
		d.Size = min(2.2, 0.4*height)
		if last > manyIterations {
			d.Size = min(1.2, d.Size)
		}
		of := chart.Line{Ink: chart.SeriesInk(0), Width: min(1.4, 0.6*height)}
		for k, j := range line.Js {
			at := chart.Point{X: float64(line.First + k), Y: -float64(i)}
			d.Points, of.Points = append(d.Points, at), append(of.Points, at)
			if k == 0 || j != line.Js[k-1] {
				p.Marks = append(p.Marks, chart.Label{At: at, Text: fmt.Sprint(j)})
			}
		}
		p.Marks = append(p.Marks, of, d)
	}
	return chart.Chart{Title: "Purposes of " + l.Run + " that go on", Columns: 1, Panels: []chart.Panel{p},
		Notes: append([]string{
			fmt.Sprintf("A line joins a direction with the one of the next iteration that it was matched with, where "+
				"|cos_M| reaches the threshold, %s. Numbers: j, its place in the order of σ, where it changes.",
				palette.Number("similarity", l.Threshold)),
		}, notes...)}
}
