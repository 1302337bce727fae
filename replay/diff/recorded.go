package diff

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Set is what iteration k selected, with the iterations in which lineages begin.
func (r *Run) Set(m *Metric, k int, limits Limits) (*Set, error) {
	if s, ok := r.sets[k]; ok {
		return s, nil
	}
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
	if !pod.Walkable(r.env) {
		return s, nil
	}
	s.Behaviour = func(i int) (*Behaviour, error) { return r.behaviour(k, i) }
	if s.Visits, err = r.visits(k); err == nil && r.keep {
		r.sets[k] = s
	}
	return s, err
}

// behaviour reads the option of iteration k's purpose i.
func (r *Run) behaviour(k, i int) (*Behaviour, error) {
	options, values := r.Iterations[k].All(schema.KindOption), r.Iterations[k].All(schema.KindValue)
	if i >= len(options) || i >= len(values) {
		return nil, r.Failed(k, fmt.Errorf("%w: it lists %d options and %d values", schema.ErrMalformed, len(options), len(values)))
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
		return nil, r.Failed(k, err)
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
		err = r.Failed(k, err)
	}
	return visits, err
}
