package collect

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// TransitionStats processes an iteration's transitions, chunk by chunk, and computes the statistics that later stages
// need. Its memory is bounded by the model, not by the number of steps, unless a matrix learns in several passes.
type TransitionStats struct {
	env     envs.Env
	options OptionSet

	dynamics envs.SteppableEnv // this and the next two are nil unless the actions determine the states
	classes  envs.RowClasses
	rows     []int64 // transitions by row class

	steps    int64
	state    int
	recorded *linalg.Dataset // in place of rows, if the environment has no actions
	visited  envs.VisitedSet

	position  *Position // nil if the environment defines no distance
	low, high int64     // of the positions

	transitions *envs.TransitionCounter // nil if nothing needs them
	first       *schema.Transitions     // the first chunk, if keepsFirst
	keepsFirst  bool                    // whether a learner needs the stream
	matrix      matrix.StateMatrix      // of a method that has one, else nil

	usage     []Usage
	executing int // option of the last span, or schema.Primitive
	last      int // state after the last step, before any reset

	ignoreOptions bool
	visits        visitTally // nil unless signs depend on them

	callSteps    int64 // steps of the current call
	episodeEnded bool  // the last step ended an episode
}

// Usage is how an option was used in an iteration.
type Usage struct {
	Calls     int64
	Steps     int64 // executed in those calls, truncated ones included
	Truncated int64 // calls truncated by the iteration's end
	NewStates int64 // states first visited in the iteration while it was executing
}

// NewTransitionStats returns the statistics of an iteration that starts in the given
// state.
func NewTransitionStats(env envs.Env, options OptionSet, state int) *TransitionStats {
	t := &TransitionStats{
		env:       env,
		options:   options,
		state:     state,
		visited:   envs.NewVisitedSet(env.States()),
		usage:     make([]Usage, len(options.Options)),
		executing: schema.Primitive,
	}
	if t.position = NewPosition(env); t.position != nil {
		t.position.Begin(state)
	}
	if !envs.ActionsDetermineStates(env) {
		t.KeepTransitions()
	} else if e, ok := envs.As[envs.SteppableEnv](env); ok {
		t.dynamics, t.classes = e, envs.RowClassesOf(e)
		t.rows = make([]int64, t.classes.RowClasses())
	}
	if t.env.States() > 0 {
		t.visit(state)
	}
	return t
}

// KeepTransitions makes t count transitions too. It must be called before the first chunk.
func (t *TransitionStats) KeepTransitions() {
	if t.transitions == nil {
		t.transitions = envs.NewTransitionCounter()
	}
}

// IgnoreOptions makes t count no usage of options. The options then need not be known.
func (t *TransitionStats) IgnoreOptions() { t.ignoreOptions = true }

// KeepFirstChunk makes t keep the first chunk, for learners that need the stream.
func (t *TransitionStats) KeepFirstChunk() { t.keepsFirst = true }

// LearnMatrix makes t learn the matrix of the spec's method, if it has one. With a cumulative D, the matrix continues
// earlier, that of the previous iterations; nil before the first. It must be called before the first chunk.
func (t *TransitionStats) LearnMatrix(spec schema.Spec, earlier matrix.StateMatrix) {
	t.matrix = matrix.NewStateMatrix(t.env, spec)
	if earlier != nil {
		t.matrix = earlier.Clone()
	}
	if t.matrix != nil {
		t.matrix.Begin()
	}
}

// Matrix returns the matrix of a method, nil if D has the rows of transitions. If f is not nil, the matrix has also
// learned from these factors.
func (t *TransitionStats) Matrix(f *schema.Factors) matrix.StateMatrix {
	if t.matrix != nil && f != nil {
		t.matrix.Discover(*f)
	}
	return t.matrix
}

// Transitions returns the observed transitions, if they were kept.
func (t *TransitionStats) Transitions() envs.TransitionCounts {
	if t.transitions == nil {
		return nil
	}
	return t.transitions.Counts()
}

// FirstChunk returns the first chunk if it was kept, nil before it was added.
func (t *TransitionStats) FirstChunk() *schema.Transitions { return t.first }

// Add processes the next chunk, collected or decoded. It returns [wire.ErrMalformed] if
// the chunk does not continue the last one, or refers to options or states that do not
// exist; t must not be used after that.
func (t *TransitionStats) Add(c *schema.Transitions) error {
	if c.Start != uint64(t.state) || c.Arity != len(t.env.Actions()) {
		return fmt.Errorf("%w: transitions of %d actions from state %d, expected %d actions from state %d",
			wire.ErrMalformed, c.Arity, c.Start, len(t.env.Actions()), t.state)
	}
	if err := CheckStates(t.env, c); err != nil {
		return err
	}
	at, episodes := 0, c.Episodes
	for i, span := range c.Spans {
		option := int(span.Option)
		if t.ignoreOptions {
			option = schema.Primitive
		}
		if option != schema.Primitive && !t.options.Has(option) {
			return fmt.Errorf("%w: span %d is under option %d, not in %d to %d", wire.ErrMalformed, i, span.Option,
				t.options.First, t.options.End()-1)
		}
		t.beginSpan(option, i == 0)
		end := at + int(span.Steps)
		episodes = t.addSteps(c, at, end, episodes)
		at = end
	}
	if t.transitions != nil {
		t.transitions.AddChunk(t.dynamics, c)
	}
	if t.keepsFirst && t.first == nil {
		t.first = &schema.Transitions{
			Start: c.Start, Arity: c.Arity, Actions: slices.Clone(c.Actions), Next: slices.Clone(c.Next),
			Episodes: slices.Clone(c.Episodes),
		}
	}
	if t.matrix == nil {
		return nil
	}
	envs.VisitChunk(t.dynamics, c, t.matrix.Observe)
	return t.matrix.CheckFull()
}

// CheckStates returns [wire.ErrMalformed] if transitions refer to states that env does
// not have, lack states where env needs them, or have states where the actions alone
// determine them.
func CheckStates(env envs.Env, c *schema.Transitions) error {
	if !envs.HasActions(env) || envs.ActionsDetermineStates(env) != (c.Next == nil) ||
		c.Next == nil && len(c.Episodes) > 0 {
		return fmt.Errorf("%w: transitions with %d states and %d episodes in this environment", wire.ErrMalformed,
			len(c.Next), len(c.Episodes))
	}
	for i, n := range c.Next {
		if uint64(n) >= uint64(env.States()) {
			return fmt.Errorf("%w: step %d leads to state %d of %d", wire.ErrMalformed, i, n, env.States())
		}
	}
	for _, e := range c.Episodes {
		if e.State >= uint64(env.States()) || e.Step == 0 {
			return fmt.Errorf("%w: an episode from state %d at step %d", wire.ErrMalformed, e.State, e.Step)
		}
	}
	return nil
}

// beginSpan enters a span. The first span of a chunk continues the call in which the
// previous chunk ended.
func (t *TransitionStats) beginSpan(option int, first bool) {
	over := t.episodeEnded || t.executing != schema.Primitive && t.callSteps > 0 &&
		t.callSteps == t.options.At(t.executing).Certificate.MaxSteps // the current call must end in any state
	if over {
		t.countTruncated()
	}
	goesOn := first && option == t.executing && !over
	if !goesOn {
		t.callSteps = 0
	}
	t.executing = option
	if option != schema.Primitive && !goesOn {
		t.usage[option-t.options.First].Calls++
	}
}

// addSteps processes the steps of a chunk from at to end, and returns the episodes that begin after them.
func (t *TransitionStats) addSteps(c *schema.Transitions, at, end int, episodes []schema.Episode) []schema.Episode {
	before, steps := t.visited.Len(), int64(end-at)
	for ; at < end; at++ {
		a := int(c.Actions[at])
		if c.Next == nil {
			t.rows[t.classes.RowClass(t.state, a)]++
			t.state = t.dynamics.Step(t.state, a)
		} else {
			t.state = int(c.Next[at])
		}
		t.last = t.state
		t.visit(t.state)
		if t.position != nil {
			x := t.position.Step(a, t.state)
			t.low, t.high = min(t.low, x), max(t.high, x)
		}
		t.episodeEnded = len(episodes) > 0 && episodes[0].Step == uint64(at+1)
		if t.episodeEnded {
			t.state = int(episodes[0].State)
			t.visit(t.state)
			if t.position != nil {
				t.position.Begin(t.state)
			}
			episodes = episodes[1:]
		}
	}
	t.steps += steps
	t.callSteps += steps
	if t.executing != schema.Primitive {
		t.usage[t.executing-t.options.First].Steps += steps
		t.usage[t.executing-t.options.First].NewStates += t.visited.Len() - before
	}
	return episodes
}

// visit counts the visit of a state.
func (t *TransitionStats) visit(s int) {
	t.visited.Add(s)
	if t.visits != nil {
		t.visits.add(s)
	}
}

// Steps returns the number of steps so far.
func (t *TransitionStats) Steps() int64 { return t.steps }

// State returns the current state.
func (t *TransitionStats) State() int { return t.state }

// EndMatrix ends the matrix's iteration, after the last chunk.
func (t *TransitionStats) EndMatrix(ctx context.Context) error {
	if t.matrix == nil {
		return nil
	}
	return t.matrix.End(ctx)
}

// FactoredDataset returns the matrix to factor: the method's after [TransitionStats.EndMatrix], or else D.
func (t *TransitionStats) FactoredDataset() (linalg.Dataset, error) {
	if t.matrix == nil {
		return t.Dataset(), nil
	}
	return t.matrix.Dataset(len(t.env.Features()))
}

// Dataset returns D by its distinct rows, those of the transitions.
func (t *TransitionStats) Dataset() linalg.Dataset {
	if t.recorded != nil {
		return *t.recorded
	}
	if !envs.ActionsDetermineStates(t.env) {
		return t.Transitions().Dataset(t.env)
	}
	var rows []linalg.CountedRow
	for class, count := range t.rows {
		if count > 0 {
			rows = append(rows, linalg.CountedRow{Row: t.classes.RowDifference(class), Count: count})
		}
	}
	return linalg.NewDataset(len(t.env.Features()), rows)
}

// countTruncated counts the executing option as truncated, unless it has ended.
func (t *TransitionStats) countTruncated() {
	if t.executing != schema.Primitive && !t.options.At(t.executing).EndsIn(t.last) {
		t.usage[t.executing-t.options.First].Truncated++
	}
}

// AddRows sets a D that was recorded elsewhere as that of the iteration. It returns
// [wire.ErrMalformed] if an agent can act in the environment, the number of features
// differs, or there is a D already.
func (t *TransitionStats) AddRows(rows *schema.Rows) error {
	if envs.HasActions(t.env) || rows.Dims != len(t.env.Features()) || t.recorded != nil {
		return fmt.Errorf("%w: rows of %d features given to an environment of %d features and %d actions",
			wire.ErrMalformed, rows.Dims, len(t.env.Features()), len(t.env.Actions()))
	}
	t.recorded = &linalg.Dataset{Dims: rows.Dims, Rows: schema.NewSparseRows(rows.Dims, rows.Rows), Counts: rows.Counts}
	t.steps = rows.Total
	return nil
}
