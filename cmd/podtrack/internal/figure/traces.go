package figure

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Trace is one walk, reduced to its extremes in each pixel column.
type Trace struct {
	Name      string
	Primitive bool          // actions only, computed for comparison
	Points    []chart.Point // step, and steps to the right of the first state

	first      int // iteration
	boundaries []int64
	since      int64       // the step from which on it is drawn
	look       *group.Look // in a study; nil if its place among the traces gives it
}

// drawn returns the points that a picture has of the trace.
func (t Trace) drawn() []chart.Point {
	return slices.DeleteFunc(slices.Clone(t.Points), func(p chart.Point) bool { return p.X < float64(t.since) })
}

const primitiveName = "primitive actions" // of walks without options

// follower returns what a trace does at each step of a part's walk and, with the last state and the number of steps, at
// its end: it adds points.
type follower func(s Source, r *chart.Reducer) (step func(recorded.Step), end func(last int, steps int64))

// readTraces reads the traces of parts for a picture with so many pixel columns and, if primitive is set, the trace
// that the first part's seed gives with primitive actions alone.
func readTraces(ctx context.Context, parts []Source, columns int, primitive bool, of follower) ([]Trace, error) {
	var tracks []Trace
	var sets [][]report.Run
	for i, label := range LabelParts(parts...) {
		if err := parts[i].check(); err != nil {
			return nil, err
		}
		t, err := parts[i].trace(columns, parts[i].visitSteps, of)
		if err != nil {
			return nil, err
		}
		t.Name, t.since = label, sharedSteps(parts, i)
		tracks, sets = append(tracks, t), append(sets, []report.Run{parts[i].Described()})
	}
	for i, l := range group.LooksOf(sets) {
		if l.Name != "" && parts[i].WholeRun {
			tracks[i].Name, tracks[i].look = l.Name, &l
		}
	}
	p := parts[0]
	if !primitive || !envs.HasModel(p.Env) { // it cannot be simulated without a model
		return tracks, nil
	}
	t, err := p.trace(columns, func(visit func(recorded.Step)) (int, error) {
		return p.visitPrimitiveSteps(ctx, visit)
	}, of)
	t.Name, t.Primitive = primitiveName, true
	return append(tracks, t), err
}

// trace follows a walk through the part, which returns its last state.
func (s Source) trace(columns int, walk func(func(recorded.Step)) (int, error), of follower) (Trace, error) {
	steps, boundaries := s.steps()
	first, _ := s.iterationRange()
	r := chart.NewReducer(0, float64(steps), columns)
	step, end := of(s, r)
	last, err := walk(step)
	if err != nil {
		return Trace{}, err
	}
	end(last, steps)
	return Trace{Points: r.Finish(), first: first, boundaries: boundaries}, nil
}

// traceTable returns the points of traces, whose y is called value.
func traceTable(tracks []Trace, value string) DataTable {
	table := DataTable{Columns: []string{"track", "iteration", "step", value}}
	for _, t := range tracks {
		k := 0
		for _, p := range t.Points {
			for k < len(t.boundaries) && p.X > float64(t.boundaries[k]) {
				k++
			}
			table.add(t.Name, t.first+k, p.X, p.Y)
		}
	}
	return table
}

const waymarks = 5 // that distinguish a trace

// marked returns the points of the i-th of n lines at which its marks stand, none at another's mark.
func marked(points []chart.Point, i, n int) (at []chart.Point) {
	if len(points) == 0 {
		return nil
	}
	begin, end := points[0].X, points[len(points)-1].X
	for j := range waymarks {
		x := begin + (end-begin)*(float64(j)+(float64(i)+0.5)/float64(n))/waymarks
		next := sort.Search(len(points), func(k int) bool { return points[k].X >= x })
		at = append(at, points[min(next, len(points)-1)])
	}
	return slices.Compact(at)
}

// tracePanel draws traces over so many steps, with a y axis up to room times what they reach.
func tracePanel(steps int64, y chart.Axis, room float64, tracks []Trace, width float64) chart.Panel {
	for _, t := range tracks {
		for _, at := range t.Points {
			y.Include(at.Y * room)
		}
	}
	return chart.Panel{X: stepAxis(steps), Y: y, Aspect: 0.5, Marks: trackMarks(tracks, width)}
}

// trackMarks draws traces as lines, the first on top.
func trackMarks(tracks []Trace, width float64) (marks []chart.Mark) {
	for i, k := range slices.Backward(trackKeys(tracks)) {
		points := tracks[i].drawn()
		marks = append(marks, chart.Line{Points: points, Ink: k.Ink, Width: width, Dash: k.Dash})
		if k.Glyph > 0 {
			marks = append(marks, chart.Dots{Points: marked(points, i, len(tracks)), Ink: k.Ink, Glyph: k.Glyph})
		}
	}
	return marks
}

// trackKeys returns the legend of [trackMarks]. Traces of several runs get marks, so that they differ by more than
// colour.
func trackKeys(tracks []Trace) (keys []chart.Key) {
	isSingle := len(tracks) < 2 || tracks[1].Primitive // primitive actions come last
	for i, t := range tracks {
		l := group.Look{Number: i}
		if t.look != nil {
			l = *t.look
		}
		k := keyOf(l, t.Name)
		if t.Primitive {
			k.Ink, k.Dash = chart.Neutral, chart.Solid
		}
		if t.Primitive || isSingle {
			k.Glyph = 0
		}
		keys = append(keys, k)
	}
	return keys
}

// traceList returns the names of traces as part of a sentence.
func traceList(tracks []Trace) string {
	return textfmt.JoinWords(textfmt.Map(tracks, func(t Trace) string { return t.Name }))
}

// LabelRuns returns what a figure calls runs. One without a name is called by the fields in which they differ, such as
// "seed 1, gamma 0.9", if no other has the same values; so are all if they differ in their seeds alone, unless each has
// a name.
func LabelRuns(runs []report.Run) []string {
	_, differing := report.CompareFields(runs)
	isUnnamed := func(r report.Run) bool { return r.Name == "" }
	bySeed := slices.Equal(differing, []string{"seed"}) && slices.ContainsFunc(runs, isUnnamed)
	labels, having := make([]string, len(runs)), map[string]int{}
	for i, r := range runs {
		labels[i] = valuesOf(r, differing)
		having[labels[i]]++
	}
	for i, r := range runs {
		if labels[i] == "" || having[labels[i]] > 1 || !isUnnamed(r) && !bySeed {
			labels[i] = r.Label()
		}
	}
	return labels
}

// LabelParts returns what a figure calls runs and iterations: see [LabelRuns].
func LabelParts(parts ...Source) []string {
	var runs []report.Run
	for _, p := range parts {
		runs = append(runs, p.Described())
	}
	labels := LabelRuns(runs)
	for i, p := range parts {
		switch {
		case labels[i] == p.Label():
			labels[i] = p.name()
		case !p.WholeRun:
			labels[i] += fmt.Sprintf(", iteration %d", p.K)
		}
	}
	return labels
}

const maxNameFields = 3 // above which a run is better called by its ID

// valuesOf returns the values of a run's fields, "" if they are too many or too long for a legend.
func valuesOf(r report.Run, fields []string) string {
	if len(fields) > maxNameFields {
		return ""
	}
	var values []string
	for _, field := range fields {
		value, has := r.Spec.Get(field)
		if !has || len(value) > 24 || strings.Contains(value, "\n") {
			return ""
		}
		values = append(values, field+" "+value)
	}
	return strings.Join(values, ", ")
}

// sharedSteps returns how many of part i's steps are those of another part, which it is a fork of: a picture has
// them once, as the other's.
func sharedSteps(parts []Source, i int) (shared int64) {
	if !parts[i].WholeRun {
		return 0
	}
	for _, a := range report.Of(parts[i].Records).Ancestors {
		steps := int64(0)
		for k := range min(a.Until, len(parts[i].Iterations)) {
			steps += parts[i].SpecAt(k).Steps
		}
		if slices.ContainsFunc(parts, func(p Source) bool { return p.WholeRun && p.ID == a.Run }) {
			shared = max(shared, steps)
		}
	}
	return shared
}
