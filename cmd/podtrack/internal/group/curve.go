package group

import (
	"errors"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A Curve is a quantity measured at each step of a run.
type Curve string

// The curves.
const (
	Coverage Curve = "coverage" // distinct states visited so far
	Distance Curve = "distance" // from the first state, in steps; on a line that of the position from 0
)

// ErrCurve is the error of runs that have no such curve.
var ErrCurve = errors.New("no curve")

// sampled is a curve at the steps of a grid, as far as its run goes.
type sampled struct {
	values   []float64
	states   int  // of the environment
	observed bool // the states are those that the run has seen
	measured bool // the environment tells distances
}

// readCurve reads the curve of a run at the given steps.
func readCurve(view tracker.Viewer, r report.Run, curve Curve, steps []int64) (sampled, error) {
	records, err := recorded.Open(view, r.Source)
	if err != nil {
		return sampled{}, fmt.Errorf("run %s: %w", r.Label(), err)
	}
	s := sampler{steps: steps}
	visit, end, err := curveOf(r, records.Env, curve, s.add)
	if err != nil {
		return sampled{}, err
	}
	last, err := records.VisitAllSteps(0, len(records.Iterations), visit)
	if err != nil {
		return sampled{}, err
	}
	if len(records.Iterations) > 0 {
		total := stepsOf(report.Of(records))
		end(last, total)
		s.finish(total)
	}
	return sampled{
		values: s.values, states: records.Env.States(), observed: !envs.HasModel(records.Env),
		measured: recorded.NewPositionFunc(records.Env) != nil,
	}, nil
}

// curveOf returns a function that takes the steps of a run and adds the points of its curve, and one that
// takes the final state and the number of steps.
func curveOf(r report.Run, env envs.Env, curve Curve, add func(int64, float64)) (
	visit func(recorded.Step), end func(last int, steps int64), err error,
) {
	if !envs.HasActions(env) {
		return nil, nil, errorOf(r, curve, "it is of a plain D, which has no states")
	}
	if curve == Coverage {
		visited := envs.NewVisitedSet(env.States())
		see := func(state int, t int64) {
			visited.Add(state)
			add(t, float64(visited.Len()))
		}
		return explore.Follow(see), see, nil
	}
	position := recorded.NewPositionFunc(env)
	if position == nil {
		return nil, nil, errorOf(r, curve, fmt.Sprintf("environment %q defines no distance between states", r.Spec.Env.Name))
	}
	add(0, 0)
	return func(s recorded.Step) { add(s.T+1, math.Abs(float64(position(s)))) }, func(int, int64) {}, nil
}

// errorOf returns an error for a run without a curve.
func errorOf(r report.Run, curve Curve, why string) error {
	err := fmt.Errorf("%w of %s for run %s: %s", ErrCurve, curve, r.Label(), why)
	if curve == Distance {
		return schema.Advise(err, AdviceCoverage)
	}
	return err
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
