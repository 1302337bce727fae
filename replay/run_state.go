package replay

import (
	"context"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// runState is the state in which iteration k begins: everything that earlier iterations pass on.
type runState struct {
	run        tracker.Run
	env        pod.Env
	launcher   EnvLauncher // of an external environment, nil if there is none to launch
	k          int
	link       schema.Digest        // of iteration k − 1
	state      int                  // before the first step of iteration k
	options    []*schema.Option     // of all earlier iterations, in option order
	data       pod.Dataset          // of all earlier iterations, for a cumulative D
	moves      pod.TransitionCounts // of all earlier iterations, where they are gathered
	keepsMoves bool
	table      pod.StateMatrix   // for a cumulative method on states, in place of data
	learner    pod.OptionLearner // of iteration k's spec, nil before it is needed or if it learns from experience

	scratch []byte // of the last record of what was learned, for the next one
}

func newRunState(env pod.Env, run tracker.Run, launcher EnvLauncher) *runState {
	return &runState{
		run: run, env: env, launcher: launcher, state: pod.StartState(env), keepsMoves: run.AccumulatesExperience(),
	}
}

// newLearner returns the learner of iteration k, given its observations. One that needs no
// experience is kept for all iterations with one spec.
func (p *runState) newLearner(tally *pod.TransitionStats) (l pod.OptionLearner, err error) {
	spec := p.spec()
	if !spec.Learner.UsesExperience() {
		if p.learner == nil {
			p.learner, err = pod.NewOptionLearner(p.env, spec, pod.Experience{})
		}
		return p.learner, err
	}
	seen := pod.Experience{Transitions: tally.Transitions(), FirstChunk: tally.FirstChunk()}
	if spec.AccumulatesExperience() {
		seen.Transitions = p.moves.Merge(seen.Transitions)
	}
	return pod.NewOptionLearner(p.env, spec, seen)
}

// newStats returns empty transition statistics for iteration k.
func (p *runState) newStats(state int) *pod.TransitionStats {
	tally := pod.NewTransitionStats(p.env, p.options, state)
	tally.KeepForLearner(p.spec())
	if p.keepsMoves {
		tally.KeepTransitions()
	}
	tally.ContinueFrom(p.table)
	return tally
}

// needsAllTransitions reports whether later iterations need the transitions of all earlier ones,
// not just of the last.
func needsAllTransitions(spec schema.Spec) bool {
	return spec.Method != "" && spec.Dataset == schema.Cumulative
}

// spec returns the spec of iteration k.
func (p *runState) spec() schema.Spec { return p.run.SpecAt(p.k) }

// computeLink returns the link of iteration k with these records.
func (p *runState) computeLink(records []schema.Entry) (schema.Digest, error) {
	previous, err := p.run.PreviousLink(p.k, p.link)
	if err != nil {
		return previous, err
	}
	return schema.Link(p.k, previous, records)
}

// loadRun reads the recorded iterations of a run and verifies its chain.
func (e *Engine) loadRun(ctx context.Context, env pod.Env, run tracker.Run) (*runState, error) {
	with := func(f func(*tracker.Tx) error) error { return e.store.View(ctx, f) }
	recorded, err := recordedIterations(with, run)
	if err != nil {
		return nil, err
	}
	if err := tabulateFor(ctx, env, run.Spec); err != nil {
		return nil, err
	}
	p := newRunState(env, run, e.with.Launcher)
	return p, p.loadUpTo(with, recorded, len(recorded))
}

func recordedIterations(
	with func(func(*tracker.Tx) error) error, run tracker.Run,
) (recorded []schema.Iteration, err error) {
	err = with(func(tx *tracker.Tx) error {
		recorded, err = tx.ReadIterations(run.ID)
		return err
	})
	return recorded, err
}

// loadUpTo loads the recorded iterations before k, each in its own transaction.
func (p *runState) loadUpTo(with func(func(*tracker.Tx) error) error, recorded []schema.Iteration, k int) error {
	for p.k < k {
		err := with(func(tx *tracker.Tx) error { return p.load(tx, recorded[p.k], p.k == k-1) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", p.k, err)
		}
	}
	return nil
}

// load loads a recorded iteration. Later iterations need only the last one's transitions and
// factors, unless transition counts accumulate.
func (p *runState) load(tx *tracker.Tx, it schema.Iteration, last bool) error {
	if err := p.verifyLink(it); err != nil {
		return err
	}
	if err := p.loadObservations(tx, it); err != nil {
		return err
	}
	if last || p.keepsMoves || needsAllTransitions(p.spec()) {
		if err := p.loadState(tx, it, last); err != nil {
			return err
		}
	}
	learned, err := LoadOptions(tx, p.env, it)
	if err != nil {
		return err
	}
	p.advance(it.Link, p.state, learned, p.data)
	return nil
}

// LoadOptions reads the options that an iteration recorded, in order.
func LoadOptions(tx *tracker.Tx, env pod.Env, it schema.Iteration) ([]*schema.Option, error) {
	var options []*schema.Option
	for i := range it.RecordsOf(schema.KindOption) {
		o, err := loadOptionOf(tx, env, it, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

// LoadOption reads an option and checks it against the environment: the digest proves which bytes
// were recorded, not that they are usable.
func LoadOption(tx *tracker.Tx, env pod.Env, name schema.Digest) (*schema.Option, error) {
	o, err := tracker.Load(tx, name, schema.DecodeOption)
	if err != nil {
		return nil, err
	}
	_, grows := pod.As[pod.GrowingEnv](env)
	fits := len(o.Policy) == env.States() || grows && len(o.Policy) <= env.States()
	if !fits || o.Arity != len(env.Actions()) || len(o.Purpose.Vector) != len(env.Features()) {
		return nil, fmt.Errorf("record %s: %w: an option of %d states, %d actions and %d features", name,
			schema.ErrMalformed, len(o.Policy), o.Arity, len(o.Purpose.Vector))
	}
	return &o, nil
}

// loadFactors reads an iteration's factors and checks them against the environment.
func loadFactors(tx *tracker.Tx, env pod.Env, name schema.Digest) (schema.Factors, error) {
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	if err == nil && f.Dims != len(env.Features()) {
		err = fmt.Errorf("record %s: %w: factors of %d features", name, schema.ErrMalformed, f.Dims)
	}
	return f, err
}

// verifyLink verifies that a recorded link follows from what it links.
func (p *runState) verifyLink(it schema.Iteration) error {
	link, err := p.computeLink(it.Records)
	if err == nil && link != it.Link {
		err = fmt.Errorf("%w: link %s does not follow from what it links", tracker.ErrDamaged, it.Link)
	}
	return err
}

// loadState reads an iteration's final state, its transition counts and, for the last one with a
// cumulative D, the accumulated dataset.
func (p *runState) loadState(tx *tracker.Tx, it schema.Iteration, last bool) error {
	tally, err := p.loadStats(tx, it)
	if err != nil {
		return err
	}
	p.state = tally.State()
	p.addMoves(tally)
	if p.keepTable(tally); !last || p.table != nil || p.run.Spec.Dataset != schema.Cumulative {
		return nil
	}
	name, err := it.OnlyRecord(schema.KindFactors)
	if err != nil {
		return err
	}
	f, err := loadFactors(tx, p.env, name)
	p.data = pod.DatasetFromFactors(f)
	return err
}

// keepTable keeps the table that a method on states has accumulated.
func (p *runState) keepTable(t *pod.TransitionStats) {
	if needsAllTransitions(p.spec()) && t != nil {
		p.table = t.Matrix()
	}
}

// advance advances past an iteration.
func (p *runState) advance(link schema.Digest, state int, learned []*schema.Option, data pod.Dataset) {
	before := p.spec()
	p.k, p.link, p.state, p.data = p.k+1, link, state, data
	p.options = append(p.options, learned...)
	if !reflect.DeepEqual(before, p.spec()) {
		p.learner = nil
	}
}

// addMoves adds an iteration's transition counts to those of the previous ones.
func (p *runState) addMoves(tally *pod.TransitionStats) {
	if p.keepsMoves && tally != nil {
		p.moves = p.moves.Merge(tally.Transitions())
	}
}

// newRecordedStats returns statistics that start where recorded transitions do.
func (p *runState) newRecordedStats(t *schema.Transitions) (*pod.TransitionStats, error) {
	if t.Start >= uint64(p.env.States()) {
		return nil, fmt.Errorf("%w: transitions from state %d", schema.ErrMalformed, t.Start)
	}
	return p.newStats(int(t.Start)), nil
}

// LoadTransitionStats returns the statistics of an iteration's recorded transitions, given the
// options that it could call, or of its imported rows.
func LoadTransitionStats(
	tx *tracker.Tx, env pod.Env, options []*schema.Option, it schema.Iteration,
) (*pod.TransitionStats, error) {
	p := &runState{env: env, options: options}
	return p.loadStats(tx, it)
}

// loadStats implements [LoadTransitionStats] with what the run's state accumulates.
func (p *runState) loadStats(tx *tracker.Tx, it schema.Iteration) (*pod.TransitionStats, error) {
	if !pod.HasActions(p.env) {
		return loadRowStats(tx, p.env, it)
	}
	var tally *pod.TransitionStats
	for _, name := range it.RecordsOf(schema.KindTransitions) {
		t, err := tracker.Load(tx, name, schema.DecodeTransitions)
		if err != nil {
			return nil, err
		}
		if tally == nil {
			if tally, err = p.newRecordedStats(&t); err != nil {
				return nil, err
			}
		}
		if err := tally.Add(&t); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
	}
	if tally == nil {
		return nil, fmt.Errorf("%w: iteration without transitions", schema.ErrMalformed)
	}
	return tally, nil
}

func loadRowStats(tx *tracker.Tx, env pod.Env, it schema.Iteration) (*pod.TransitionStats, error) {
	name, err := it.OnlyRecord(schema.KindRows)
	if err != nil {
		return nil, err
	}
	rows, err := tracker.Load(tx, name, schema.DecodeRows)
	if err != nil {
		return nil, err
	}
	tally := pod.NewTransitionStats(env, nil, 0)
	if err := tally.AddRows(&rows); err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	return tally, nil
}
