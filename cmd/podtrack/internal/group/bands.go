package group

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/tracker"
)

// BandPoints is the number of steps at which a picture shows a curve.
const BandPoints = 200

// Bands hold the mean number of states visited over the runs of each group, with its interval, at the same steps of all
// runs, which are the places of the only measure's cells. A run counts up to its last step.
type Bands struct {
	Summaries
	Steps    []int64 `json:"steps"`    // from 0 to the last step of the longest run
	States   []int   `json:"states"`   // of the environments, each number once, in ascending order
	Observed bool    `json:"observed"` // some environment's states are those that its run has seen
}

// ReadBands counts the states that every run of the groups visited, which were split by the given fields, at about so
// many steps. Several goroutines read, each record in a transaction of its own.
func ReadBands(ctx context.Context, store *tracker.Store, by []string, groups []Group, points int) (Bands, error) {
	b := Bands{Summaries: Summaries{By: by, Level: stats.Level, Interval: stats.StudentT}}
	var runs []report.Run
	total, reach := int64(0), Reach(groups)
	for i := range groups {
		groups[i].Lacks = groups[i].missingRuns(reach)
		runs = append(runs, groups[i].runs...)
	}
	for _, r := range runs {
		total = max(total, stepsOf(r))
	}
	b.Steps = grid(total, points)
	curves := make([]sampled, len(runs))
	workers, working := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range runs {
		workers.Go(func() (err error) {
			curves[i], err = readCurve(store.Within(working), r, b.Steps)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return b, err
	}
	for _, c := range curves {
		b.States, b.Observed = append(b.States, c.states), b.Observed || c.observed
	}
	slices.Sort(b.States)
	b.States = slices.Compact(b.States)
	for _, g := range groups {
		band := newBand(curves[:len(g.runs)], len(b.Steps), countStates(g.runs))
		b.Groups = append(b.Groups, Summary{Group: g, Measures: []Series{band}})
		curves = curves[len(g.runs):]
	}
	return b, nil
}

// stepsOf returns how many steps a run took.
func stepsOf(r report.Run) (total int64) {
	for k := range r.Iterations {
		total += r.Source.SpecAt(k).Steps
	}
	return total
}

// grid returns steps from 0 to total in about as many equal parts, without duplicates.
func grid(total int64, parts int) []int64 {
	n := min(total, int64(max(parts, 1)))
	steps := []int64{0}
	for i := range n {
		// total·(i + 1)/n without an overflow
		steps = append(steps, total/n*(i+1)+total%n*(i+1)/n)
	}
	return steps
}

// newBand summarises the curves of a group's runs, which can visit that many states.
func newBand(curves []sampled, steps int, states float64) (band Series) {
	for i := range steps {
		var values []float64
		for _, c := range curves {
			if i < len(c.values) {
				values = append(values, c.values[i])
			}
		}
		band.Iterations = append(band.Iterations, Cell{K: i, Summary: stats.Summarise(values).Within(0, states)})
	}
	return band
}

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
	visits, err := explore.ReadVisits(view, r.Source)
	if err != nil {
		return sampled{}, err
	}
	c := sampled{states: records.Env.States(), observed: !envs.HasModel(records.Env)}
	if n := len(visits.Iterations); n > 0 {
		c.values = countVisited(visits.First, steps, visits.Iterations[n-1].Steps)
	}
	return c, nil
}

// countVisited returns how many states were visited by each of the steps, which ascend, up to the last.
func countVisited(first []explore.FirstVisit, steps []int64, last int64) (values []float64) {
	n := 0
	for _, step := range steps {
		for n < len(first) && first[n].Steps <= step {
			n++
		}
		if step <= last {
			values = append(values, float64(n))
		}
	}
	return values
}
