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
	Title  string
	Tracks []Trace // step, and distinct states so far
	Steps  int64
	States []int // of each run's environment

	seen bool // the states are the observed ones, of an unknown total
}

// ReadCoverage counts the states that parts visit, and beside a single one those of primitive actions alone.
func ReadCoverage(ctx context.Context, parts []Source, columns int) (Coverage, error) {
	f := Coverage{Title: "States visited over time"}
	for _, p := range parts {
		steps, _ := p.steps()
		f.Steps, f.States = max(f.Steps, steps), append(f.States, p.Env.States())
		f.seen = f.seen || !envs.HasModel(p.Env)
	}
	var err error
	f.Tracks, err = readTraces(ctx, parts, columns, len(parts) == 1, countStates)
	return f, err
}

// countStates returns functions that add, for each step of a walk, how many distinct states it has visited: see
// [follower].
func countStates(s Source, r *chart.Reducer) (func(recorded.Step), func(int, int64)) {
	visited := envs.NewVisitedSet(s.Env.States())
	visit := func(state int, t int64) {
		visited.Add(state)
		r.Add(float64(t), float64(visited.Len()))
	}
	return explore.Follow(visit), visit
}

// Table implements [Figure].
func (c Coverage) Table() DataTable { return traceTable(c.Tracks, "states") }

func (c Coverage) caption() string {
	return fmt.Sprintf("Distinct states visited by %s, against steps.", traceList(c.Tracks))
}

func (c Coverage) chart() chart.Chart {
	p := tracePanel(c.Steps, chart.Axis{Label: "distinct states visited", Whole: true}, 1.04, c.Tracks, 1.1)
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
