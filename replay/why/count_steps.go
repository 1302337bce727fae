package why

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// shownSteps is the number of example steps of a row.
const shownSteps = 3

// rows numbers the distinct rows of differences in the order of their first occurrence.
type rows struct {
	difference func(s, next int) schema.SparseRow
	vectors    []schema.SparseRow
	moves      map[[2]int]int // by state and next state
	known      map[string]int // by the row's bits, since moves may share a row

	// byMove numbers the pairs (state, next state) instead of rows.
	byMove bool
}

func newRows(env envs.Env) *rows {
	return &rows{difference: envs.NewDifference(env), known: map[string]int{}, moves: map[[2]int]int{}}
}

// step returns the number of a step's row.
func (r *rows) step(s recorded.Step) int {
	move := [2]int{s.State, s.Next}
	n, ok := r.moves[move]
	switch {
	case ok:
		return n
	case r.byMove:
		n = len(r.vectors)
		r.vectors = append(r.vectors, envs.UnitDifference(int32(s.State), int32(s.Next)))
	default:
		n = r.of(r.difference(s.State, s.Next))
	}
	r.moves[move] = n
	return n
}

// of returns the number of a row.
func (r *rows) of(row schema.SparseRow) int {
	var bits []byte
	for _, e := range row {
		if e.Value != 0 { // drops −0 too
			bits = binary.LittleEndian.AppendUint32(bits, uint32(e.Feature))
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(e.Value))
		}
	}
	n, ok := r.known[string(bits)]
	if !ok {
		n = len(r.vectors)
		r.known[string(bits)], r.vectors = n, append(r.vectors, row)
	}
	return n
}

// A role is what a source was to a step. A source is an option, identified by its number, a primitive action, by −1,
// −2, …, or no option, by schema.Primitive.
type role int

const (
	executing role = iota // an option or an action
	completed             // the option that was completed last, if any
	roles
)

// stepCounts counts the steps of one or more iterations by their sources.
type stepCounts struct {
	by    [roles]map[int]tally
	first [][]StepRef // by row
}

func newStepCounts() *stepCounts { return &stepCounts{by: [roles]map[int]tally{{}, {}}} }

// countSteps counts the steps of iteration k of a run.
func countSteps(run *recorded.Records, r *rows, k int) (*stepCounts, error) {
	w, calls := newStepCounts(), newCallTracker()
	counted := [roles]sourceRows{{}, {}}
	_, err := run.VisitSteps(k, func(s recorded.Step) {
		row := r.step(s)
		for role, source := range calls.sourcesOf(s) {
			counted[role][sourceRow{source, int32(row)}]++
		}
		w.addExample(row, StepRef{K: k, Step: s.T, State: s.State, Next: s.Next, source: sourceOf(s)})
	})
	for role, rows := range counted {
		w.by[role] = rows.tallies()
	}
	return w, err
}

// callTracker tracks which option was completed last.
type callTracker struct{ last, executing int }

func newCallTracker() *callTracker {
	return &callTracker{last: schema.Primitive, executing: schema.Primitive}
}

// sourcesOf returns the sources of the next step.
func (c *callTracker) sourcesOf(s recorded.Step) [roles]int32 {
	if c.executing != schema.Primitive && (s.Begins || s.Option != c.executing) {
		c.last = c.executing
	}
	c.executing = s.Option
	return [roles]int32{int32(sourceOf(s)), int32(c.last)}
}

// sourceOf returns the source of a step: the executing option's number, or a negative number for an action.
func sourceOf(s recorded.Step) int {
	if s.Option == schema.Primitive {
		return -1 - s.Action
	}
	return s.Option
}

func (s *stepCounts) addExample(row int, at StepRef) {
	for len(s.first) <= row {
		s.first = append(s.first, nil)
	}
	if len(s.first[row]) < shownSteps {
		s.first[row] = append(s.first[row], at)
	}
}

// merge adds the steps of a later iteration.
func (s *stepCounts) merge(later *stepCounts) {
	for role, by := range s.by {
		for source, t := range later.by[role] {
			by[source] = by[source].add(t, 1)
		}
	}
	for row, ats := range later.first {
		for _, at := range ats {
			s.addExample(row, at)
		}
	}
}

// all returns the number of steps of every row.
func (s *stepCounts) all() (sum count) {
	for _, t := range s.by[executing] {
		for _, x := range t {
			sum.add(int(x.row), x.steps)
		}
	}
	return sum
}

// count holds the number of steps by row number; rows beyond its end have none.
type count []int64

func (c *count) add(row int, n int64) {
	for len(*c) <= row {
		*c = append(*c, 0)
	}
	(*c)[row] += n
}

func (c count) total() int64 {
	var n int64
	for _, x := range c {
		n += x
	}
	return n
}

// tally holds numbers of steps by row, in ascending order of the rows. Rows that are not listed have none. It is sparse
// because the steps of one option show only few of the rows of D.
type tally []rowSteps

// rowSteps is a number of steps that showed a row.
type rowSteps struct {
	row   int32
	steps int64
}

func (t tally) total() (n int64) {
	for _, x := range t {
		n += x.steps
	}
	return n
}

// add returns t + sign·u.
func (t tally) add(u tally, sign int64) tally {
	sum := make(tally, 0, max(len(t), len(u)))
	for len(t) > 0 && len(u) > 0 {
		x := rowSteps{row: min(t[0].row, u[0].row)}
		if t[0].row == x.row {
			x.steps, t = x.steps+t[0].steps, t[1:]
		}
		if u[0].row == x.row {
			x.steps, u = x.steps+sign*u[0].steps, u[1:]
		}
		if x.steps != 0 {
			sum = append(sum, x)
		}
	}
	sum = append(sum, t...)
	for _, x := range u {
		sum = append(sum, rowSteps{x.row, sign * x.steps})
	}
	return sum
}

// dense returns the number of steps of each row.
func (t tally) dense() (c count) {
	for _, x := range t {
		c.add(int(x.row), x.steps)
	}
	return c
}

// sourceRows counts steps one by one, by their source and row. Only those that occur take memory.
type sourceRows map[sourceRow]int64

type sourceRow struct{ source, row int32 }

// tallies returns the counts of each source.
func (s sourceRows) tallies() map[int]tally {
	all := map[int]tally{}
	for at, n := range s {
		all[int(at.source)] = append(all[int(at.source)], rowSteps{at.row, n})
	}
	for _, t := range all {
		slices.SortFunc(t, func(x, y rowSteps) int { return cmp.Compare(x.row, y.row) })
	}
	return all
}
