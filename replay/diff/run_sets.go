package diff

import (
	"context"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Set returns what iteration k selected, with the first iterations of the lineages.
func (r *Run) Set(ctx context.Context, m *Metric, k int, limits Limits) (*Set, error) {
	if s, ok := r.sets[k]; ok {
		return s, nil
	}
	if err := r.traceLineages(ctx, m, k, limits); err != nil {
		return nil, err
	}
	it, err := r.readIteration(ctx, k)
	if err != nil {
		return nil, err
	}
	s := &Set{Ref: fmt.Sprintf("%s:%d", r.Label(), k), K: k, Basis: r.Source.SpecAt(k).Basis}
	for _, p := range it.purposes {
		s.Purposes = append(s.Purposes, Purpose{
			Purpose: p, Ref: r.OptionRef(k, p.J, p.Sign), First: r.lineages.firstIteration(k, p.J),
		})
	}
	if !pod.HasActions(r.env) {
		return s, nil
	}
	first := report.FirstNumbers(r.Iterations[:k])[k]
	for i := range s.Purposes {
		number := first + i
		s.Purposes[i].Number = &number
	}
	s.Behaviour = func(i int) (*Behaviour, error) { return r.behaviour(ctx, k, i) }
	if s.Visits, err = r.visits(ctx, k); err == nil && r.cache {
		r.sets[k] = s
	}
	return s, err
}

// behaviour reads the option of iteration k's purpose i.
func (r *Run) behaviour(ctx context.Context, k, i int) (*Behaviour, error) {
	name, knew, err := r.optionAndLearnerEnv(ctx, k, i)
	if err != nil {
		return nil, r.WrapError(k, err)
	}
	if b, ok := r.behaviours[name]; ok {
		return r.numbering.renumber(b), nil
	}
	var b *Behaviour
	err = r.view(ctx, func(tx *tracker.Tx) error {
		b, err = r.readBehaviour(tx, k, i, knew)
		return err
	})
	if err != nil {
		return nil, r.WrapError(k, err)
	}
	if r.cache {
		r.behaviours[name] = b
	}
	return r.numbering.renumber(b), nil
}

// longestView is how long many options are read without letting those in who wait to write.
const longestView = 100 * time.Millisecond

// eachBehaviour calls f with the options of iteration k's first n purposes, in order. It reads many of them in one
// view, as each view opens the store and checks its pages again.
func (r *Run) eachBehaviour(ctx context.Context, k, n int, f func(i int, b *Behaviour) error) error {
	for i := 0; i < n; {
		_, knew, err := r.optionAndLearnerEnv(ctx, k, n-1)
		if err != nil {
			return r.WrapError(k, err)
		}
		var failed error // of f, which is not the iteration's
		err = r.view(ctx, func(tx *tracker.Tx) error {
			for begin := time.Now(); i < n && (time.Since(begin) < longestView); i++ {
				b, err := r.readBehaviour(tx, k, i, knew)
				if err != nil {
					return err
				}
				if failed = f(i, r.numbering.renumber(b)); failed != nil {
					return nil
				}
			}
			return nil
		})
		switch {
		case err != nil:
			return r.WrapError(k, err)
		case failed != nil:
			return failed
		}
	}
	return nil
}

// readBehaviour reads the option of iteration k's purpose i, given the environment as its learner knew it.
func (r *Run) readBehaviour(tx *tracker.Tx, k, i int, knew pod.ModelEnv) (*Behaviour, error) {
	o, l, err := replay.LoadLearned(tx, r.env, r.Iterations[k], i)
	if err != nil {
		return nil, err
	}
	return NewBehaviour(r.modelEnv(knew), o, pod.StateValues(r.env, o, l),
		pod.ActionValues(knew, o.Purpose.Vector, l, r.Source.SpecAt(k).Gamma)), nil
}

// modelEnv returns the environment with a model: its own, or the one that a learner estimated.
func (r *Run) modelEnv(knew pod.ModelEnv) pod.ModelEnv {
	if env, ok := pod.As[pod.ModelEnv](r.env); ok {
		return env
	}
	return knew
}

// optionAndLearnerEnv returns the digest of iteration k's option i, and the environment as its
// learner knew it.
func (r *Run) optionAndLearnerEnv(ctx context.Context, k, i int) (name schema.Digest, knew pod.ModelEnv, err error) {
	options := r.Iterations[k].RecordsOf(schema.KindOption)
	if i >= len(options) {
		return name, nil, fmt.Errorf("%w: it lists %d options", schema.ErrMalformed, len(options))
	}
	if knew = r.learnerEnvs[k]; knew == nil {
		if knew, err = replay.LoadLearnerEnv(r.Viewer(ctx), r.env, r.Source, r.Iterations, k); err != nil {
			return name, nil, err
		}
		r.learnerEnvs[k] = knew
	}
	return options[i], knew, nil
}

// visits counts the steps of iteration k by the state in which they began.
func (r *Run) visits(ctx context.Context, k int) ([]StateVisits, error) {
	counts := make([]int64, r.env.States())
	options := 0
	for _, it := range r.Iterations[:k] {
		options += len(it.RecordsOf(schema.KindOption))
	}
	err := r.view(ctx, func(tx *tracker.Tx) error {
		_, err := replay.VisitSteps(tx, r.env, options, r.Iterations[k], func(s replay.Step) { counts[s.State]++ })
		return err
	})
	var visits []StateVisits
	for s, n := range counts {
		if n > 0 {
			visits = append(visits, StateVisits{State: r.numbering.index(s), Steps: n})
		}
	}
	if err != nil {
		err = r.WrapError(k, err)
	}
	return visits, err
}
