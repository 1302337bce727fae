package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Tally walks an iteration's transitions, chunk by chunk, and counts what the
// later stages need. Its memory is bounded by the model, whatever the number of
// steps.
type Tally struct {
	env     Env
	options []*schema.Option

	steps   int64
	state   int
	rows    []int64  // transitions by row class
	given   *Dataset // in place of them, where nobody walks
	visited []uint64
	states  int64

	line      Line // nil where the environment declares no distance
	x         int64
	low, high int64

	uses  []Use
	force int // option of the last span, or schema.Primitive
}

// Use is what an option was used for in an iteration.
type Use struct {
	Calls  int64
	Steps  int64 // executed in those calls, cut ones included
	Cut    int64 // calls cut by the iteration's end
	Gained int64 // states first visited in the iteration while it was in force
}

// NewTally begins an iteration in the given state.
func NewTally(env Env, options []*schema.Option, state int) *Tally {
	t := &Tally{
		env:     env,
		options: options,
		state:   state,
		rows:    make([]int64, env.Rows()),
		visited: make([]uint64, (env.Model().States+63)/64),
		uses:    make([]Use, len(options)),
		force:   schema.Primitive,
	}
	t.line, _ = env.(Line)
	if t.env.Model().States > 0 {
		t.visit(state)
	}
	return t
}

// Add walks the next chunk, as it was collected or decoded. A chunk that does not
// go on from the last one, or that speaks of options there are not, is refused,
// after which the tally is of no use.
func (t *Tally) Add(c *schema.Transitions) error {
	if c.Start != uint64(t.state) || c.Arity != len(t.env.Actions()) || len(c.Episodes) > 0 {
		return fmt.Errorf("%w: transitions of %d actions from state %d where %d actions from state %d go on",
			schema.ErrMalformed, c.Arity, c.Start, len(t.env.Actions()), t.state)
	}
	actions := c.Actions
	for i, span := range c.Spans {
		if int(span.Option) >= len(t.options) {
			return fmt.Errorf("%w: span %d is under option %d of %d", schema.ErrMalformed, i, span.Option, len(t.options))
		}
		t.begin(int(span.Option), i == 0)
		t.walk(actions[:span.Steps])
		actions = actions[span.Steps:]
	}
	return nil
}

// begin enters a span; the first span of a chunk goes on with the call that the
// chunk before ended in.
func (t *Tally) begin(option int, first bool) {
	goesOn := first && option == t.force
	t.force = option
	if option != schema.Primitive && !goesOn {
		t.uses[option].Calls++
	}
}

func (t *Tally) walk(actions []uint8) {
	before := t.states
	for _, a := range actions {
		t.rows[t.env.Row(t.state, int(a))]++
		t.state = t.env.Step(t.state, int(a))
		t.visit(t.state)
		if t.line != nil {
			t.x += t.line.Offset(int(a))
			t.low, t.high = min(t.low, t.x), max(t.high, t.x)
		}
	}
	t.steps += int64(len(actions))
	if t.force != schema.Primitive {
		t.uses[t.force].Steps += int64(len(actions))
		t.uses[t.force].Gained += t.states - before
	}
}

func (t *Tally) visit(s int) {
	word, bit := s/64, uint64(1)<<(s%64)
	if t.visited[word]&bit == 0 {
		t.visited[word] |= bit
		t.states++
	}
}

// Steps walked so far.
func (t *Tally) Steps() int64 { return t.steps }

// State reached.
func (t *Tally) State() int { return t.state }

// Uses are the options' uses, in option order, should the iteration end here.
func (t *Tally) Uses() []Use {
	uses := append([]Use(nil), t.uses...)
	if t.force != schema.Primitive && t.options[t.force].Starts(t.state) {
		uses[t.force].Cut++
	}
	return uses
}

// Dataset is D by its distinct rows.
func (t *Tally) Dataset() Dataset {
	if t.given != nil {
		return *t.given
	}
	dims := len(t.env.Features())
	var rows []countedRow
	for class, count := range t.rows {
		if count > 0 {
			row := make([]float64, dims)
			t.env.Difference(class, row)
			rows = append(rows, countedRow{row, count})
		}
	}
	return newDataset(dims, rows)
}

// Measures sums the iteration up, given how many directions it selected and the
// number of options it made.
func (t *Tally) Measures(purposes, options int) schema.Measures {
	m := schema.Measures{
		Purposes:      int64(purposes),
		Options:       int64(options),
		Available:     int64(len(t.options)),
		Reach:         meanReach(t.options),
		StatesVisited: t.states,
	}
	var steps int64
	for _, u := range t.Uses() {
		m.Calls += u.Calls
		m.Truncated += u.Cut
		steps += u.Steps
	}
	if m.Calls > 0 {
		length := float64(steps) / float64(m.Calls)
		m.OptionLength = &length
	}
	if t.line != nil {
		distance, final, oneSided := max(t.high, -t.low), max(t.x, -t.x), t.high
		m.Distance, m.Final, m.DistanceOneSided = &distance, &final, &oneSided
	}
	return m
}

// meanReach is the mean of the options' mean path lengths, nil where none has
// one.
func meanReach(options []*schema.Option) *float64 {
	sum, n := 0.0, 0
	for _, o := range options {
		if r := o.Certificate.Reach; r != nil {
			sum += *r
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}
