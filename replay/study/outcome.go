package study

import (
	"fmt"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Outcomes of a run.
const (
	Distance = "distance" // mean over iterations 1, 2, … of the farthest distance from their first state
	Covered  = "covered"  // states that were visited in all iterations
)

func outcomeNames() []string { return []string{Distance, Covered} }

// An outcome is what is measured of a run.
type outcome struct {
	distance  *float64  // nil where the environment has none
	distances []float64 // by iteration
	states    []float64 // states visited in each iteration
	covered   []float64 // and up to its end
	half      *int64    // steps until half of the states had been visited; nil if they were not
	knowsHalf bool      // the number of states is known
}

// get returns the outcome of a name.
func (o outcome) get(name string) (float64, bool) {
	switch {
	case name == Covered:
		return o.covered[len(o.covered)-1], true
	case o.distance != nil:
		return *o.distance, true
	}
	return 0, false
}

// readOutcome reads the first iterations of a spec's run.
func readOutcome(tx *tracker.Tx, spec schema.Spec, iterations int) (o outcome, err error) {
	run, err := findRun(tx, spec)
	if err != nil {
		return o, err
	}
	visits, err := explore.ReadVisits(tx, run)
	if err != nil {
		return o, fmt.Errorf("run %s: %w", run.ID, err)
	}
	if len(visits.Iterations) < iterations {
		return o, fmt.Errorf("run %s: %d of %d iterations: %w", run.ID, len(visits.Iterations), iterations,
			tracker.ErrMissing)
	}
	for k := range iterations {
		o.covered = append(o.covered, float64(*visits.Iterations[k].Covered))
		m, err := report.LoadMeasures(tx, run.ID, k)
		if err != nil {
			return o, fmt.Errorf("run %s: %w", run.ID, err)
		}
		o.states = append(o.states, float64(m.StatesVisited))
		if m.Distance != nil {
			o.distances = append(o.distances, float64(*m.Distance))
		}
	}
	if len(o.distances) == iterations {
		sum := 0.0
		for _, d := range o.distances[1:] {
			sum += d
		}
		mean := sum / float64(iterations-1)
		o.distance = &mean
	}
	o.knowsHalf = visits.States != nil
	if h := visits.StepsToHalf; h != nil && *h <= visits.Iterations[iterations-1].Steps {
		o.half = h
	}
	return o, nil
}

// findRun returns the run of a spec.
func findRun(tx *tracker.Tx, spec schema.Spec) (tracker.Run, error) {
	id, err := schema.RunID(spec, nil)
	if err != nil {
		return tracker.Run{}, err
	}
	run, err := tx.ReadRun(id)
	if err != nil {
		return run, fmt.Errorf("run %s: %w", id, err)
	}
	return run, nil
}
