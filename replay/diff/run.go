package diff

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Run is a run to compare with others. It reads what it needs when it is asked
// for it, and is for one goroutine.
type Run struct {
	report.Run
	Iterations []schema.Iteration

	ctx   context.Context // of the command that opened it
	store *tracker.Store
	env   pod.Env
	keep  bool // every behaviour that was read, for many comparisons of the same runs

	model      *Metric            // the model's, once it was asked for
	selected   map[int]*iteration // by k
	behaviours map[schema.Digest]*Behaviour
	lines      lineages
}

// iteration is what is read of one at once.
type iteration struct {
	factors  schema.Factors
	purposes []schema.Purpose
}

// Open reads the run that a reference names. It serves until ctx is done.
func Open(ctx context.Context, store *tracker.Store, ref string) (*Run, error) {
	var r report.Run
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		r, err = report.One(tx, ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	return OpenRun(ctx, store, r)
}

// OpenRun is [Open] for a run that is known.
func OpenRun(ctx context.Context, store *tracker.Store, r report.Run) (*Run, error) {
	run := &Run{Run: r, ctx: ctx, store: store, selected: map[int]*iteration{}, behaviours: map[schema.Digest]*Behaviour{}}
	var err error
	if run.env, err = pod.NewEnv(r.Spec.Env); err != nil {
		return nil, err
	}
	err = run.view(func(tx *tracker.Tx) error {
		run.Iterations, err = tx.Iterations(r.ID)
		return err
	})
	return run, err
}

func (r *Run) view(f func(*tracker.Tx) error) error {
	return tracker.Whose(r.store.View(r.ctx, f), r.Label())
}

// metric for comparisons of this run's iteration k with the other's iteration l:
// the model's, or that of both datasets where there is no model.
func (r *Run) metric(k int, other *Run, l int) (*Metric, error) {
	if r.env.Model().States > 0 {
		if r.model == nil {
			r.model = ModelMetric(r.env)
		}
		return r.model, nil
	}
	a, err := r.read(k)
	if err != nil {
		return nil, err
	}
	b, err := other.read(l)
	if err != nil {
		return nil, err
	}
	return PooledMetric(a.factors.Dims, a.factors, b.factors), nil
}

// read selects the purposes of iteration k again from its factors.
func (r *Run) read(k int) (*iteration, error) {
	if it, ok := r.selected[k]; ok {
		return it, nil
	}
	it := &iteration{}
	err := r.view(func(tx *tracker.Tx) error {
		name, err := r.Iterations[k].First(schema.KindFactors)
		if err != nil {
			return err
		}
		if it.factors, err = tracker.Load(tx, name, schema.DecodeFactors); err != nil {
			return err
		}
		if it.factors.Dims != len(r.env.Features()) {
			return fmt.Errorf("record %s: %w: factors of %d features", name, schema.ErrMalformed, it.factors.Dims)
		}
		return nil
	})
	if err != nil {
		return nil, r.failed(k, err)
	}
	spec := r.Source.Made(k)
	it.purposes = pod.Select(it.factors, spec.Basis, spec.Kappa)
	r.selected[k] = it
	return it, nil
}

func (r *Run) failed(k int, err error) error {
	return fmt.Errorf("run %s, iteration %d: %w", r.Label(), k, err)
}

// Set is what iteration k selected, with the iterations in which lineages begin.
func (r *Run) Set(m *Metric, k int, limits Limits) (*Set, error) {
	if err := r.trace(m, k, limits); err != nil {
		return nil, err
	}
	it, err := r.read(k)
	if err != nil {
		return nil, err
	}
	s := &Set{Ref: fmt.Sprintf("%s:%d", r.Label(), k), K: k, Basis: r.Source.Made(k).Basis}
	for _, p := range it.purposes {
		s.Purposes = append(s.Purposes, Purpose{Purpose: p, Ref: r.OptionRef(k, p.J, p.Sign), Born: r.lines.born(k, p.J)})
	}
	if r.env.Model().States == 0 {
		return s, nil
	}
	s.Behaviour = func(i int) (*Behaviour, error) { return r.behaviour(k, i) }
	s.Visits, err = r.visits(k)
	return s, err
}

// behaviour reads the option of iteration k's purpose i.
func (r *Run) behaviour(k, i int) (*Behaviour, error) {
	options, values := r.Iterations[k].All(schema.KindOption), r.Iterations[k].All(schema.KindValue)
	if i >= len(options) || i >= len(values) {
		return nil, r.failed(k, fmt.Errorf("%w: it lists %d options and %d values", schema.ErrMalformed, len(options), len(values)))
	}
	if b, ok := r.behaviours[options[i]]; ok {
		return b, nil
	}
	var b *Behaviour
	err := r.view(func(tx *tracker.Tx) error {
		o, err := replay.LoadOption(tx, r.env, options[i])
		if err != nil {
			return err
		}
		v, err := tracker.Load(tx, values[i], schema.DecodeValue)
		if err != nil {
			return err
		}
		if len(v) != len(o.Policy) {
			return fmt.Errorf("record %s: %w: values of %d states", values[i], schema.ErrMalformed, len(v))
		}
		b = NewBehaviour(r.env, o, v, r.Source.Made(k).Gamma)
		return nil
	})
	if err != nil {
		return nil, r.failed(k, err)
	}
	if r.keep {
		r.behaviours[options[i]] = b
	}
	return b, nil
}

// visits counts the steps of iteration k by the state in which they began.
func (r *Run) visits(k int) ([]Visit, error) {
	counts := make([]int64, r.env.Model().States)
	options := 0
	for _, it := range r.Iterations[:k] {
		options += len(it.All(schema.KindOption))
	}
	err := r.view(func(tx *tracker.Tx) error {
		_, err := replay.Steps(tx, r.env, options, r.Iterations[k], func(s replay.Step) { counts[s.State]++ })
		return err
	})
	var visits []Visit
	for s, n := range counts {
		if n > 0 {
			visits = append(visits, Visit{State: s, Steps: n})
		}
	}
	if err != nil {
		err = r.failed(k, err)
	}
	return visits, err
}

// Env is the run's environment.
func (r *Run) Env() pod.Env { return r.env }

// View runs f in a transaction that reads the run's store.
func (r *Run) View(f func(*tracker.Tx) error) error { return r.view(f) }

// Selected is what iteration k factored, and the signed purposes that it selects.
func (r *Run) Selected(k int) (schema.Factors, []schema.Purpose, error) {
	it, err := r.read(k)
	if err != nil {
		return schema.Factors{}, nil, err
	}
	return it.factors, it.purposes, nil
}

// Metric is the one that purposes of this run's iteration k are compared in.
func (r *Run) Metric(k int) (*Metric, error) { return r.metric(k, r, k) }

// Has reports an error where the run has no iteration k.
func (r *Run) Has(k int) error { return r.has(k) }
