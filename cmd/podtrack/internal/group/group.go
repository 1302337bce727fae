package group

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Errors of groups that cannot be summarised or compared.
var (
	ErrEmpty   = errors.New("no iteration is recorded")
	ErrPairing = errors.New("the runs cannot be paired")
)

// Group holds the measures of some runs.
type Group struct {
	Filter string       `json:"filter"` // as the user named the runs
	Runs   []Member     `json:"runs"`
	Lacks  []MissingRun `json:"lacks"`
	// SetAside are runs that the filter found, and that share iterations with one of the group.
	SetAside []Dependent `json:"set_aside,omitempty"`
	// Values are the values of the fields by which the runs were split, nil for runs that were not split.
	Values []string `json:"values,omitempty"`
	Names  []string `json:"-"`               // what people call these values
	Label  string   `json:"label,omitempty"` // that the user gave it

	runs      []report.Run
	histories [][]schema.Measures // by run and iteration
	external  [][]schema.ExternalMeasures
	explored  []*explore.Summary // by run; nil unless measures of exploration are asked for
	budgets   []float64          // by iteration, see setBudgets; nil unless measures of exploration are asked for
	states    float64            // that a run can visit, see countStates; 0 unless a measure counts states
}

// Member describes a run of a group.
type Member struct {
	Run  schema.Digest `json:"run"`
	Name string        `json:"name"`

	Label string `json:"-"` // for people
}

// MissingRun is a run that lacks iterations that it should have, or that another run of the
// comparison has: From to To, both included.
type MissingRun struct {
	Member
	Status  tracker.Status `json:"status"`
	Failure string         `json:"failure,omitempty"`
	From    int            `json:"from"`
	To      int            `json:"to"`
}

// Selected returns the runs of the group.
func (g Group) Selected() []report.Run { return g.runs }

// A Reader reads in steps, until one of them reports that no more is left to read: a store, between whose steps other
// processes can write, or a transaction.
type Reader interface {
	ViewInShortTxs(ctx context.Context, step func(*tracker.Tx) (more bool, err error)) error
}

// read reads the measures of runs that may have no iteration yet, each in a step.
func read(ctx context.Context, from Reader, measures []string, filter string, runs []report.Run) (Group, error) {
	g := Group{Filter: filter, runs: runs}
	if slices.ContainsFunc(measures, report.CountsStates) {
		g.states = countStates(runs)
	}
	if err := report.CheckIndependent(runs); err != nil || len(runs) == 0 {
		return g, err
	}
	err := from.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		err = g.readRun(ctx, tx, measures, runs[len(g.Runs)])
		return len(g.Runs) < len(runs), err
	})
	if errors.Is(err, context.Canceled) {
		err = stopped(ctx)
	}
	return g, err
}

// countStates returns how many states a run can visit at most, infinite if that is unknown of one.
func countStates(runs []report.Run) (most float64) {
	for i, r := range runs {
		if i > 0 && reflect.DeepEqual(r.Spec.Env, runs[i-1].Spec.Env) {
			continue
		}
		n, known := int64(0), false
		if env, err := envs.NewEnv(r.Spec.Env); err == nil {
			if start, has := envs.As[envs.SteppableEnv](env); has {
				n, known = envs.CountReachable(env, start.Start())
			}
		}
		if !known {
			return math.Inf(1)
		}
		most = max(most, float64(n))
	}
	return most
}

func (g *Group) readRun(ctx context.Context, tx *tracker.Tx, measures []string, r report.Run) error {
	if err := stopped(ctx); err != nil {
		return err
	}
	isDeclared := slices.ContainsFunc(measures, func(m string) bool { return !report.IsMeasure(m) })
	var history []schema.Measures
	var external []schema.ExternalMeasures // nil in each iteration unless some of the measures are
	for k := range r.Iterations {
		m, err := report.LoadMeasures(tx, r.ID, k)
		var own schema.ExternalMeasures
		if err == nil && isDeclared {
			own, err = report.LoadExternalMeasures(tx, r.ID, k)
		}
		if err != nil {
			return fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err)
		}
		history, external = append(history, m), append(external, own)
	}
	g.Runs, g.histories = append(g.Runs, member(r)), append(g.histories, history)
	g.external = append(g.external, external)
	return g.readExploration(ctx, tx, measures, r)
}

// readExploration reads how the run explored, if some of the measures are of exploration. It does not keep the first
// visits, which take more memory than everything else.
func (g *Group) readExploration(ctx context.Context, tx *tracker.Tx, measures []string, r report.Run) error {
	measures = slices.DeleteFunc(slices.Clone(measures), func(m string) bool { return !report.IsExploration(m) })
	if len(measures) == 0 {
		return nil
	}
	if err := stopped(ctx); err != nil {
		return err
	}
	x, err := report.LoadExploration(tx.View, r.Source, measures...)
	if err != nil {
		return err
	}
	x.First = nil
	g.explored = append(g.explored, x)
	return nil
}

func member(r report.Run) Member { return Member{Run: r.ID, Name: r.Name, Label: r.Label()} }

// maxIterations returns the largest number of iterations of a run.
func (g *Group) maxIterations() int {
	reach := 0
	for _, h := range g.histories {
		reach = max(reach, len(h))
	}
	return reach
}

// missingRuns returns the runs with fewer iterations than their own target or than reach.
func (g *Group) missingRuns(reach int) []MissingRun {
	lacks := []MissingRun{}
	for _, r := range g.runs {
		if wanted := max(r.Target, reach); r.Iterations < wanted {
			lacks = append(lacks, MissingRun{
				Member: member(r), Status: r.Status, Failure: r.Failure, From: r.Iterations, To: wanted - 1,
			})
		}
	}
	return lacks
}

// setBudgets sets the budget of each iteration: the number of steps that every run which has the iteration has taken by
// its end. Censored measures are compared up to it: a run that has not got there by then counts as if it did with the
// budget's last step, so that no group gains by runs that never get there.
func setBudgets(groups []Group) {
	var budgets []float64
	for _, g := range groups {
		for _, r := range g.explored {
			for k, it := range r.Iterations {
				if k == len(budgets) {
					budgets = append(budgets, math.Inf(1))
				}
				budgets[k] = min(budgets[k], float64(it.Steps))
			}
		}
	}
	for i := range groups {
		groups[i].budgets = budgets
	}
}

// value returns a measure of the i-th run, nil if it is undefined or missing. One that is censored at the budget is the
// budget.
func (g *Group) value(i int, measure string, k int) (v *float64, censored bool) {
	if k >= len(g.histories[i]) {
		return nil, false
	}
	v, _ = g.histories[i][k].Get(measure)
	switch {
	case g.explored != nil && report.IsExploration(measure):
		v, _ = g.explored[i].Get(measure, k)
		isKnown := g.explored[i].States != nil && g.budgets != nil
		if explore.IsCensored(measure) && isKnown && (v == nil || *v > g.budgets[k]) {
			return &g.budgets[k], true
		}
	case g.external != nil && !report.IsMeasure(measure):
		v = g.external[i][k][measure]
	}
	return v, false
}

// valuesOf returns a measure of all runs that have it, in the order of the runs.
func (g *Group) valuesOf(measure string, k int) []float64 {
	values, _ := g.sample(measure, k)
	return values
}

// sample returns a measure of all runs that have it, and how many of them are censored.
func (g *Group) sample(measure string, k int) (values []float64, censored int) {
	for i := range g.runs {
		v, isCensored := g.value(i, measure, k)
		if v != nil {
			values = append(values, *v)
		}
		if isCensored {
			censored++
		}
	}
	return values, censored
}

// summary summarises a measure in one iteration.
func (g *Group) summary(measure string, k int) stats.Summary {
	values, censored := g.sample(measure, k)
	s, r := stats.Summarise(values), g.rangeOf(measure)
	if explore.IsCensored(measure) && k < len(g.budgets) && s.N > 0 {
		s.Censored, s.Budget = censored, &g.budgets[k]
		r.high = g.budgets[k]
	}
	return s.Within(r.low, r.high)
}

// A valueRange is what an outcome can be, which its intervals keep to.
type valueRange struct{ low, high float64 }

// rangeOf returns the range of a measure of the group.
func (g *Group) rangeOf(measure string) (r valueRange) {
	r.low, r.high = report.MeasureRange(measure, cmp.Or(g.states, math.Inf(1)))
	return r
}

// including returns the range of values of both.
func (r valueRange) including(s valueRange) valueRange {
	return valueRange{min(r.low, s.low), max(r.high, s.high)}
}

// clip clips the interval of a difference of two values in the range.
func (r valueRange) clip(e *stats.Effect) {
	e.Difference = e.Difference.Within(r.low-r.high, r.high-r.low)
}

// ceiling returns a text which says that all values are the most that there is, "" if they are not.
func (r valueRange) ceiling(measure string, values ...float64) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(x float64) bool { return x != r.high }) {
		return ""
	}
	what := fmt.Sprintf("a share of %g", r.high)
	if report.CountsStates(measure) {
		what = fmt.Sprintf("%g of %g states", r.high, r.high)
	}
	return fmt.Sprintf("all %d runs at the ceiling (%s)", len(values), what)
}
