package export

import (
	"math"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Names of the arrays of exploration.
const (
	explorationName = "exploration"
	firstVisitName  = "first_visit"
)

// wants reports whether an array is requested.
func (e *exporter) wants(name string) bool { return len(e.only) == 0 || slices.Contains(e.only, name) }

// explorationMembers returns the requested arrays of exploration of iteration k. Its first call reads all iterations.
func (e *exporter) explorationMembers(k int) (map[string]member, error) {
	if !e.wants(explorationName) && !e.wants(firstVisitName) {
		return nil, nil
	}
	if e.explored == nil {
		explored, err := explore.ReadRun(e.view, e.run.Source)
		if err != nil {
			return nil, err
		}
		e.explored = explored
	}
	if k >= len(e.explored.Iterations) || e.explored.Covered == nil {
		return nil, nil
	}
	it := e.explored.Iterations[k]
	var measures []float64
	for _, name := range explore.MeasureNames() {
		value, _ := e.explored.Get(name, k)
		if value == nil {
			value = new(math.NaN())
		}
		measures = append(measures, *value)
	}
	visits := []int64{}
	for _, f := range e.explored.First[*it.Covered-*it.NewStates : *it.Covered] {
		visits = append(visits, int64(f.State), f.Steps)
	}
	return map[string]member{
		explorationName: {float64s, []int{len(measures)}, writeAll(measures)},
		firstVisitName:  {int64s, []int{len(visits) / 2, 2}, writeAll(visits)},
	}, nil
}

// explorationRows returns the measures of exploration of each iteration.
func explorationRows(tx *tracker.Tx, r report.Run) ([][]string, error) {
	explored, err := explore.ReadRun(tx.View, r.Source)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for k := range explored.Iterations {
		for _, name := range explore.MeasureNames() {
			value, _ := explored.Get(name, k)
			rows = append(rows, []string{strconv.Itoa(k), name, textfmt.FormatExact(value)})
		}
	}
	return rows, nil
}

// firstVisitRows returns when each state was first visited.
func firstVisitRows(tx *tracker.Tx, r report.Run) ([][]string, error) {
	explored, err := explore.ReadVisits(tx.View, r.Source)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	k := 0
	for i, f := range explored.First {
		for int64(i) >= *explored.Iterations[k].Covered {
			k++
		}
		rows = append(rows, []string{strconv.Itoa(k), strconv.Itoa(f.State), formatInt(f.Steps)})
	}
	return rows, nil
}
