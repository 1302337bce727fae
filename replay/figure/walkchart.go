package figure

import "fmt"

func (w Walk) chart() chart {
	return chart{title: w.Title, keys: w.keys(), notes: w.boundaryNotes(), columns: 1, panels: []panel{w.panel()}}
}

// maxBoundaries is how many dashed lines leave the walk to be seen.
const maxBoundaries = 60

func (w Walk) boundaryNotes() []string {
	if len(w.Boundaries) > maxBoundaries {
		return []string{fmt.Sprintf("%d iterations; their boundaries are not drawn.", len(w.Boundaries)+1)}
	}
	return nil
}

// keys names the tracks, the run's first.
func (w Walk) keys() []key {
	keys := trackKeys(w.Tracks)
	if n := len(w.Boundaries); n > 0 && n <= maxBoundaries {
		keys = append(keys, key{text: "iteration boundary", ink: faint, dash: dashed})
	}
	return keys
}

func trackKeys(tracks []Track) (keys []key) {
	for i, t := range tracks {
		keys = append(keys, key{text: t.Name, ink: t.ink(i)})
	}
	return keys
}

func (t Track) ink(i int) ink {
	if t.Primitive {
		return neutral
	}
	return series(i)
}

// panel draws the walk without options first, behind the others.
func (w Walk) panel() panel {
	p := panel{x: axis{label: "step", high: float64(w.Steps), plain: true}, y: axis{label: "position (states right of the start, unwrapped)", margin: true}, aspect: 0.5}
	if len(w.Boundaries) <= maxBoundaries {
		for _, at := range w.Boundaries {
			p.marks = append(p.marks, rule{at: float64(at), ink: faint, dash: dashed, width: 0.6})
		}
	}
	for i := len(w.Tracks) - 1; i >= 0; i-- {
		t := w.Tracks[i]
		for _, at := range t.Points {
			p.y.include(at.Y)
		}
		p.marks = append(p.marks, line{points: t.Points, ink: t.ink(i), width: 0.8})
	}
	return p
}
