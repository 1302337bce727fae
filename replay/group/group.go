package group

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// What can keep groups from being summed up or compared.
var (
	ErrEmpty   = errors.New("no iteration is recorded")
	ErrPairing = errors.New("the runs cannot be paired")
)

// Group is some runs with their measures.
type Group struct {
	Filter string       `json:"filter"` // as the user named the runs
	Runs   []Member     `json:"runs"`
	Lacks  []MissingRun `json:"lacks"`

	runs      []report.Run
	histories [][]schema.Measures // by run and iteration
}

// Member names a run of a group.
type Member struct {
	Run  schema.Digest `json:"run"`
	Name string        `json:"name"`

	Label string `json:"-"` // for people
}

// MissingRun is a run without iterations that it was to have, or that another run of
// the comparison has: From to To, both of them included.
type MissingRun struct {
	Member
	Status  tracker.Status `json:"status"`
	Failure string         `json:"failure,omitempty"`
	From    int            `json:"from"`
	To      int            `json:"to"`
}

// Read reads the measures of the runs that a filter found.
func Read(tx *tracker.Tx, filter string, runs []report.Run) (Group, error) {
	g := Group{Filter: filter, runs: runs}
	if err := report.CheckIndependent(runs); err != nil {
		return g, err
	}
	for _, r := range runs {
		g.Runs = append(g.Runs, member(r))
		var history []schema.Measures
		for k := range r.Iterations {
			m, err := report.LoadMeasures(tx, r.ID, k)
			if err != nil {
				return g, fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err)
			}
			history = append(history, m)
		}
		g.histories = append(g.histories, history)
	}
	if g.maxIterations() == 0 {
		return g, schema.Hint(fmt.Errorf("%w of %s", ErrEmpty, filter),
			"podtrack ls shows the runs, podtrack resume goes on with them")
	}
	return g, nil
}

func member(r report.Run) Member { return Member{Run: r.ID, Name: r.Name, Label: r.Label()} }

// reach is the number of iterations of the run that has most.
func (g *Group) maxIterations() int {
	reach := 0
	for _, h := range g.histories {
		reach = max(reach, len(h))
	}
	return reach
}

// lacking are the runs without iterations of their own target or under reach.
func (g *Group) missingRuns(reach int) []MissingRun {
	lacks := []MissingRun{}
	for _, r := range g.runs {
		if wanted := max(r.Target, reach); r.Iterations < wanted {
			lacks = append(lacks, MissingRun{Member: member(r), Status: r.Status, Failure: r.Failure, From: r.Iterations, To: wanted - 1})
		}
	}
	return lacks
}

// value is a measure of the i-th run, nil where it is not defined or not there.
func (g *Group) value(i int, measure string, k int) *float64 {
	if k >= len(g.histories[i]) {
		return nil
	}
	v, _ := g.histories[i][k].Get(measure)
	return v
}

// values are a measure's in all runs that have it.
func (g *Group) values(measure string, k int) []float64 {
	var values []float64
	for i := range g.runs {
		if v := g.value(i, measure, k); v != nil {
			values = append(values, *v)
		}
	}
	return values
}
