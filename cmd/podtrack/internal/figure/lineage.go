package figure

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
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
func (f Lineage) Table() DataTable {
	t := DataTable{Columns: []string{"line", "iteration", "j"}}
	for i, l := range f.Lines {
		for k, j := range l.Js {
			t.add(fmt.Sprint(i), fmt.Sprint(l.First+k), fmt.Sprint(j))
		}
	}
	return t
}

// manyIterations is the number of iterations above which marks are smaller.
const manyIterations = 20

// mostLines is the number of lines that a page has room for.
const mostLines int = pageHeight / leastRowHeight

// shown returns the lines, in the order in which they begin. If a page has no room for all, they are those of most
// iterations, of at least two if any line has them, and a note says so.
func (f Lineage) shown() (lines []LineageLine, notes []string) {
	if len(f.Lines) <= mostLines {
		return f.Lines, nil
	}
	order := make([]int, len(f.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(f.Lines[j].Js) - len(f.Lines[i].Js) })
	order = order[:mostLines]
	if single := slices.IndexFunc(order, func(i int) bool { return len(f.Lines[i].Js) == 1 }); single > 0 {
		order = order[:single]
	}
	slices.Sort(order)
	for _, i := range order {
		lines = append(lines, f.Lines[i])
	}
	return lines, []string{fmt.Sprintf("Shown are %d of %d directions, those that go on longest. The figure's numbers "+
		"have all.", len(lines), len(f.Lines))}
}

func (f Lineage) caption() string {
	return fmt.Sprintf("Eigenpurposes of %s by iteration, those that continue one of the iteration before on one line.",
		f.Run)
}

func (f Lineage) chart() Chart {
	lines, notes := f.shown()
	last := 0
	for _, l := range f.Lines {
		last = max(last, l.First+len(l.Js)-1)
	}
	height := max(min(13, pageHeight/float64(len(lines))), leastRowHeight)
	aside := min(max(0.25, 0.02*float64(last)), halfWhole)
	p := panel{x: axis{label: "iteration", low: -aside, high: float64(last) + aside, whole: true, plain: true},
		y: axis{label: "purposes, oldest first", low: 0.4 - float64(len(lines)), high: 0.9, ticks: []tick{},
			plain: true},
		height: height * float64(len(lines))}
	for i, l := range lines {
		d := dots{ink: series(0), glyph: disc}
		d.size = min(2.2, 0.4*height)
		if last > manyIterations {
			d.size = min(1.2, d.size)
		}
		of := line{ink: series(0), width: min(1.4, 0.6*height)}
		for k, j := range l.Js {
			at := Point{float64(l.First + k), -float64(i)}
			d.points, of.points = append(d.points, at), append(of.points, at)
			if k == 0 || j != l.Js[k-1] {
				p.marks = append(p.marks, label{at: at, text: fmt.Sprint(j)})
			}
		}
		p.marks = append(p.marks, of, d)
	}
	return Chart{title: "Purposes of " + f.Run + " that go on", columns: 1, panels: []panel{p},
		notes: append([]string{
			fmt.Sprintf("A line joins a direction with the one of the next iteration that it was matched with, where "+
				"|cos_M| reaches the threshold, %s. Numbers: j, its place in the order of σ, where it changes.",
				grammar.Number("similarity", f.Threshold)),
		}, notes...)}
}
