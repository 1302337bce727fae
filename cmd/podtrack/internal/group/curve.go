package group

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// ErrCurve is the error of runs that have no such curve.
var ErrCurve = errors.New("no curve")

// sampled is a curve at the steps of a grid, as far as its run goes.
type sampled struct {
	values   []float64
	states   int  // of the environment
	observed bool // the states are those that the run has seen
}

// readCurve counts the distinct states that a run has visited at the given steps.
func readCurve(view tracker.Viewer, r report.Run, steps []int64) (sampled, error) {
	records, err := recorded.Open(view, r.Source)
	if err != nil {
		return sampled{}, fmt.Errorf("run %s: %w", r.Label(), err)
	}
	if !envs.HasActions(records.Env) {
		return sampled{}, fmt.Errorf("%w of run %s: it is of a plain D, which has no states", ErrCurve, r.Label())
	}
	s, visited := sampler{steps: steps}, envs.NewVisitedSet(records.Env.States())
	see := func(state int, t int64) {
		visited.Add(state)
		s.add(t, float64(visited.Len()))
	}
	last, err := records.VisitAllSteps(0, len(records.Iterations), explore.Follow(see))
	if err != nil {
		return sampled{}, err
	}
	if len(records.Iterations) > 0 {
		total := stepsOf(report.Of(records))
		see(last, total)
		s.finish(total)
	}
	return sampled{values: s.values, states: records.Env.States(), observed: !envs.HasModel(records.Env)}, nil
}

// sampler keeps the values of a curve at given steps. Between its points a curve keeps its value.
type sampler struct {
	steps  []int64 // ascending
	values []float64
	last   float64
}

// add adds a point; steps must not decrease. Of several points of one step the last counts.
func (s *sampler) add(step int64, value float64) {
	s.finish(step - 1)
	s.last = value
}

// finish takes the values up to a step.
func (s *sampler) finish(step int64) {
	for len(s.values) < len(s.steps) && s.steps[len(s.values)] <= step {
		s.values = append(s.values, s.last)
	}
}
