package figure

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
)

// Coverage shows how many states were visited over time.
type Coverage struct {
	Title  string  `json:"title"`
	Tracks []Trace `json:"tracks"` // step, and distinct states so far
	Steps  int64   `json:"steps"`
	States []int   `json:"states"` // of each run's environment

	seen bool // the states are the observed ones, of an unknown total
}

// ReadCoverage counts the states that parts visit, and beside a single one those of primitive actions alone.
func ReadCoverage(ctx context.Context, parts []Source, columns int) (Coverage, error) {
	f := Coverage{Title: "States visited over time"}
	if err := checkSources(parts); err != nil {
		return f, err
	}
	for _, p := range nameTraces(parts) {
		track, err := p.coverage(p.name(), columns, p.visitSteps)
		if err != nil {
			return f, err
		}
		f.Tracks = append(f.Tracks, track)
		steps, _ := p.steps()
		f.Steps, f.States, f.seen = max(f.Steps, steps), append(f.States, p.Env.States()), f.seen ||
			!envs.HasModel(p.Env)
	}
	if p := parts[0]; len(parts) == 1 && envs.HasModel(p.Env) { // it cannot be simulated without a model
		track, err := p.coverage(primitiveName, columns, func(visit func(recorded.Step)) (int, error) {
			return p.visitPrimitiveSteps(ctx, visit)
		})
		if err != nil {
			return f, err
		}
		track.Primitive = true
		f.Tracks = append(f.Tracks, track)
	}
	return f, nil
}

// coverage returns how many distinct states a walk has visited over time.
func (s Source) coverage(name string, columns int, walk func(func(recorded.Step)) (int, error)) (Trace, error) {
	steps, boundaries := s.steps()
	visited := envs.NewVisitedSet(s.Env.States())
	r := chart.NewReducer(0, float64(steps), columns)
	visit := func(state int, t int64) {
		visited.Add(state)
		r.Add(float64(t), float64(visited.Len()))
	}
	last, err := walk(explore.Follow(visit))
	if err != nil {
		return Trace{}, err
	}
	visit(last, steps)
	first, _ := s.iterationRange()
	return Trace{Name: name, Points: r.Finish(), first: first, boundaries: boundaries, since: s.since, look: s.look}, nil
}

// Table implements [Figure].
func (c Coverage) Table() DataTable {
	t := DataTable{Columns: []string{"track", "iteration", "step", "states"}}
	for _, track := range c.Tracks {
		track.rows(&t)
	}
	return t
}

func (c Coverage) caption() string {
	return fmt.Sprintf("Distinct states visited by %s, against steps.", traceList(c.Tracks))
}

func (c Coverage) chart() chart.Chart {
	p := chart.Panel{
		X: stepAxis(c.Steps),
		Y: chart.Axis{Label: "distinct states visited", Whole: true}, Aspect: 0.5,
	}
	for _, t := range c.Tracks {
		for _, at := range t.Points {
			p.Y.Include(at.Y * 1.04)
		}
	}
	p.Marks = trackMarks(c.Tracks, 1.1)
	note := statesNote(slices.Min(c.States), slices.Max(c.States), c.seen)
	return chart.Chart{Title: c.Title, Keys: trackKeys(c.Tracks), Notes: []string{note}, Columns: 1,
		Panels: []chart.Panel{p}}
}

// statesNote returns a note with the number of states: of the environments, or of those observed.
func statesNote(fewest, most int, seen bool) string {
	switch {
	case seen:
		return fmt.Sprintf("The most that a run has seen are %d states.", most)
	case fewest < most:
		return fmt.Sprintf("The environments have from %d to %d states.", fewest, most)
	}
	return fmt.Sprintf("The environment has %d states.", most)
}
