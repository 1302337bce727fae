package figure

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
)

func (w Walk) caption() string {
	what := "steps to the right of the first state, not wrapped round"
	if w.Far {
		what = "distance from the first state, in steps"
	}
	return fmt.Sprintf("%s of %s: %s, against steps.", w.Title, traceList(w.Tracks), what)
}

func (w Walk) chart() chart {
	return chart{title: w.Title, keys: w.keys(), notes: w.notes(), columns: 1, panels: []panel{w.panel()}}
}

// maxBoundaries is the number of dashed lines above which they would hide the walk.
const maxBoundaries = 60

func (w Walk) notes() (notes []string) {
	if len(w.Boundaries) > maxBoundaries {
		notes = append(notes, fmt.Sprintf("%d iterations; their boundaries are not drawn.", len(w.Boundaries)+1))
	}
	if n := len(w.Tracks); n == 2 && w.Tracks[1].Primitive && slices.Equal(w.Tracks[0].Points, w.Tracks[1].Points) {
		notes = append(notes, "Without options both walks are the same.")
	}
	return notes
}

// keys returns the keys of the traces, the run's first.
func (w Walk) keys() []key {
	keys := trackKeys(w.Tracks)
	if n := len(w.Boundaries); n > 0 && n <= maxBoundaries {
		keys = append(keys, key{text: "iteration boundary", ink: faint, dash: dashed})
	}
	return keys
}

// stepAxis returns the axis of so many steps, or of a window of them.
func stepAxis(steps int64, window *grammar.Window) axis {
	from, to := Source{Window: window}.window(steps)
	return axis{label: "step", low: float64(from), high: float64(to), whole: true, plain: true}
}

// panel draws the walk without options first, behind the others.
func (w Walk) panel() panel {
	position := "position (states right of the start, unwrapped)"
	if w.Far {
		position = "distance from the first state (steps)"
	}
	p := panel{
		x: stepAxis(w.Steps, w.Window),
		y: axis{label: position, margin: true}, aspect: 0.5,
	}
	if len(w.Boundaries) <= maxBoundaries {
		p.marks = append(p.marks, boundaries(w.Boundaries))
	}
	for _, t := range w.Tracks {
		for _, at := range t.Points {
			p.y.include(at.Y)
		}
	}
	p.marks = append(p.marks, trackMarks(w.Tracks, 0.8)...)
	return p
}
