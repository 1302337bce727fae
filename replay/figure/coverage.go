package figure

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
)

// Coverage shows how many states were visited over time.
type Coverage struct {
	Title  string  `json:"title"`
	Tracks []Trace `json:"tracks"` // step, and distinct states so far
	Steps  int64   `json:"steps"`
	States []int   `json:"states"` // of each run's environment

	seen bool // the states are the observed ones, of an unknown total
}

// ReadCoverage counts the states that parts visit; with primitive, also those of primitive actions
// alone beside the first.
func ReadCoverage(ctx context.Context, parts []Source, primitive bool, columns int) (Coverage, error) {
	f := Coverage{Title: "States visited over time"}
	if err := checkSources(parts); err != nil {
		return f, err
	}
	for _, p := range parts {
		steps, boundaries := p.steps()
		c := newCounter(p, steps, columns)
		last, err := p.visitSteps(ctx, c.step)
		if err != nil {
			return f, err
		}
		c.visit(steps, last)
		first, _ := p.iterationRange()
		f.Tracks = append(f.Tracks, Trace{Name: p.name(), Points: c.finish(), first: first, boundaries: boundaries})
		f.Steps, f.States, f.seen = max(f.Steps, steps), append(f.States, p.Env().States()), f.seen ||
			!pod.HasModel(p.Env())
	}
	if p := parts[0]; primitive && pod.HasModel(p.Env()) { // it cannot be simulated without a model
		steps, boundaries := p.steps()
		c := newCounter(p, steps, columns)
		last, err := p.visitPrimitiveSteps(ctx, c.step)
		if err != nil {
			return f, err
		}
		c.visit(steps, last)
		first, _ := p.iterationRange()
		f.Tracks = append(f.Tracks, Trace{
			Name: primitiveName, Primitive: true, Points: c.finish(), first: first, boundaries: boundaries,
		})
	}
	return f, nil
}

// counter counts distinct states.
type counter struct {
	*reducer
	seen  []uint64
	count int
}

func newCounter(p Source, steps int64, columns int) *counter {
	return &counter{reducer: newReducer(0, float64(steps), columns), seen: make([]uint64, (p.Env().States()+63)/64)}
}

// step visits the state before a step, and the one in which an episode ends.
func (c *counter) step(s replay.Step) {
	c.visit(s.T, s.State)
	if s.Resets {
		c.visit(s.T+1, s.Next)
	}
}

// visit visits the state before step t.
func (c *counter) visit(t int64, state int) {
	word, bit := &c.seen[state/64], uint64(1)<<(state%64)
	if *word&bit == 0 {
		*word |= bit
		c.count++
	}
	c.add(float64(t), float64(c.count))
}

// Table implements [Figure].
func (f Coverage) Table() DataTable {
	t := DataTable{Columns: []string{"track", "iteration", "step", "states"}}
	for _, track := range f.Tracks {
		track.rows(&t, nil)
	}
	return t
}

func (f Coverage) chart() chart {
	p := panel{
		x: axis{label: "step", high: float64(f.Steps), whole: true, plain: true},
		y: axis{label: "distinct states visited", whole: true}, aspect: 0.5,
	}
	for _, t := range f.Tracks {
		for _, at := range t.Points {
			p.y.include(at.Y * 1.04)
		}
	}
	p.marks = trackMarks(f.Tracks, 1.1)
	note := fmt.Sprintf("The environment has %d states.", f.States[0])
	if fewest, most := slices.Min(f.States), slices.Max(f.States); f.seen {
		note = fmt.Sprintf("The most that a run has seen are %d states.", most)
	} else if fewest < most {
		note = fmt.Sprintf("The environments have from %d to %d states.", fewest, most)
	}
	return chart{title: f.Title, keys: trackKeys(f.Tracks), notes: []string{note}, columns: 1, panels: []panel{p}}
}
