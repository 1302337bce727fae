package diff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Run is a run to compare with others. It reads records when they are needed, and is for one
// goroutine.
type Run struct {
	report.Run
	Iterations []schema.Iteration

	store     *tracker.Store
	records   *replay.Records
	code      *tracker.Code // of the last session, nil if it is unknown
	env       pod.Env
	numbering numbering
	cache     bool // keep all sets and behaviours in memory, for many comparisons of the same runs

	model         *Metric                  // the model's, once it was asked for
	pooled        map[*Run]*Metric         // without a model, by the other run
	overVisited   map[*Run]projectedMetric // of purposes over visited states, by the other run
	coordinateMap coordinateMap            // of the metric that was asked for last
	selected      recent
	sets          map[int]*optionSet
	behaviours    map[schema.Digest]*behaviour
	learned       map[int]learned // by k
	lineages      lineages
}

// learned lists an iteration's options, and holds the environment as their learner knew it.
type learned struct {
	replay.Learned
	knew pod.ModelEnv
}

// Open opens the run that a reference names.
func Open(ctx context.Context, store *tracker.Store, ref string) (*Run, error) {
	var r report.Run
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		r, err = report.LoadRun(tx, ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	return OpenRun(ctx, store, r)
}

// OpenRun opens a run like [Open], given its report.
func OpenRun(ctx context.Context, store *tracker.Store, r report.Run) (*Run, error) {
	run := &Run{
		Run: r, store: store, sets: map[int]*optionSet{},
		behaviours: map[schema.Digest]*behaviour{}, learned: map[int]learned{}, pooled: map[*Run]*Metric{},
		overVisited: map[*Run]projectedMetric{},
	}
	var err error
	if run.records, err = replay.ReadRecords(run.Viewer(ctx), r.Source); err != nil {
		return run, err
	}
	run.env, run.Iterations = run.records.Env, run.records.Iterations
	err = run.view(ctx, func(tx *tracker.Tx) (err error) {
		run.code, err = readCode(tx, r.ID)
		return err
	})
	return run, err
}

// readCode returns the code of the last session that knows it, nil if none does.
func readCode(tx *tracker.Tx, id schema.Digest) (*tracker.Code, error) {
	sessions, err := tx.ReadSessions(id)
	for _, s := range slices.Backward(sessions) {
		if s.Code != nil {
			return s.Code, err
		}
	}
	return nil, err
}

// OpenAll opens several runs like [OpenRun], in the order of their seeds.
func OpenAll(ctx context.Context, store *tracker.Store, selected []report.Run) ([]*Run, error) {
	if err := report.Sort(selected, "seed"); err != nil {
		return nil, err
	}
	var runs []*Run
	for _, r := range selected {
		run, err := OpenRun(ctx, store, r)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func (r *Run) view(ctx context.Context, f func(*tracker.Tx) error) error {
	return tracker.WithRepairHint(r.store.View(ctx, f), r.Label())
}

// metric returns the metric for comparisons of this run with another one, whose states it
// renumbers: that of the model, or that of all datasets of both if there is no model.
func (r *Run) metric(ctx context.Context, other *Run) (*Metric, error) {
	alignStates(r, other)
	if areOverVisited(r, other) {
		m, ok := r.overVisited[other]
		if !ok {
			var err error
			if m, err = visitedMetric(ctx, r, other); err != nil {
				return nil, err
			}
			r.overVisited[other] = m
		}
		other.coordinateMap, r.coordinateMap = m.projections[1], m.projections[0]
		return m.Metric, nil
	}
	r.coordinateMap, other.coordinateMap = coordinateMap{}, coordinateMap{}
	if env, ok := pod.As[pod.SimulatedEnv](r.env); ok {
		if r.model == nil {
			if err := pod.BuildModel(ctx, env); err != nil {
				return nil, err
			}
			r.model = newModelMetric(env)
		}
		return r.model, nil
	}
	if m := r.pooled[other]; m != nil {
		return m, nil
	}
	m, err := pooledMetric(ctx, r, other)
	r.pooled[other] = m
	return m, err
}

// pooledMetric returns the metric over the datasets of runs or, if a method factors something else,
// over the transitions.
func pooledMetric(ctx context.Context, runs ...*Run) (*Metric, error) {
	if slices.ContainsFunc(runs, func(r *Run) bool { return r.Spec.Method != "" }) {
		return transitionMetric(ctx, runs...)
	}
	var data []schema.Factors
	for _, r := range runs {
		for k := range r.Iterations {
			it, err := r.readIteration(ctx, k)
			if err != nil {
				return nil, err
			}
			data = append(data, it.factors)
		}
	}
	return newPooledMetric(len(runs[0].env.Features()), data...), nil
}

// transitionMetric returns the metric over the transitions of runs, of which no model is known.
func transitionMetric(ctx context.Context, runs ...*Run) (*Metric, error) {
	var data []pod.Dataset
	for _, r := range runs {
		moves, err := r.transitions(ctx)
		if err != nil {
			return nil, err
		}
		data = append(data, moves.Dataset(r.env))
	}
	return pooledMetricOf(len(runs[0].env.Features()), data...), nil
}

// readIteration reads the factors of iteration k and selects its purposes again, unless it did so not long ago.
func (r *Run) readIteration(ctx context.Context, k int) (*iteration, error) {
	if it := r.selected.get(k); it != nil {
		return it, nil
	}
	it, records := &iteration{}, r.records.With(r.Viewer(ctx))
	var err error
	if it.factors, err = records.Factors(k); err == nil {
		it.purposes, err = records.Purposes(k, it.factors)
	}
	if err != nil {
		return nil, r.WrapError(k, err)
	}
	r.selected.add(k, it)
	return it, nil
}

// WrapError adds the run and the iteration to an error. A record that an iteration lists and that
// is lost or malformed is damage.
func (r *Run) WrapError(k int, err error) error {
	err = fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err)
	if !replay.IsDamage(err) {
		return err
	}
	if !errors.Is(err, tracker.ErrDamaged) {
		err = fmt.Errorf("%w: %w", tracker.ErrDamaged, err)
	}
	return schema.Advise(err, AdviceReplay, r.Label())
}

// Env returns the run's environment.
func (r *Run) Env() pod.Env { return r.env }

// View runs f in a read transaction on the run's store.
func (r *Run) View(ctx context.Context, f func(*tracker.Tx) error) error { return r.view(ctx, f) }

// Viewer returns a function that runs others in read transactions on the run's store, until ctx is
// done.
func (r *Run) Viewer(ctx context.Context) func(func(*tracker.Tx) error) error {
	return func(f func(*tracker.Tx) error) error { return r.view(ctx, f) }
}

// Selection returns the factors of iteration k and the signed purposes selected from them.
func (r *Run) Selection(ctx context.Context, k int) (schema.Factors, []schema.Purpose, error) {
	it, err := r.readIteration(ctx, k)
	if err != nil {
		return schema.Factors{}, nil, err
	}
	return it.factors, it.purposes, nil
}

// Metric returns the metric for purposes of this run.
func (r *Run) Metric(ctx context.Context) (*Metric, error) { return r.metric(ctx, r) }

// CheckIteration returns an error if the run has no iteration k.
func (r *Run) CheckIteration(k int) error { return r.has(k) }

// has returns an error if the run has no iteration k.
func (r *Run) has(k int) error {
	if k < len(r.Iterations) {
		return nil
	}
	return schema.Advise(fmt.Errorf("run %s %w %d", r.Label(), ErrNoIteration, k),
		AdviceMoreIterations, len(r.Iterations), r.Label(), k+1)
}

// Errors of references to things that do not exist.
var (
	ErrNoIteration = errors.New("has no iteration")
	ErrNoOption    = errors.New("has no option")
	ErrNoOptions   = errors.New("no options to compare")
)

// alignStates gives runs one numbering of states if states are observations, which each run numbers in the order of
// first observation: the states of the first run, followed by those that only others observed.
func alignStates(runs ...*Run) {
	var observed []*pod.ObservedStates
	for _, r := range runs {
		if env, ok := pod.As[pod.GrowingEnv](r.env); ok {
			observed = append(observed, env.Observed())
		}
	}
	if len(observed) < len(runs) {
		return
	}
	indices, states := pod.AlignStates(observed...)
	for i, r := range runs {
		r.numbering = numbering{indices[i], states}
	}
}
