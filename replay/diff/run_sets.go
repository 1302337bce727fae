package diff

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// optionSet returns what iteration k selected, with the first iterations of the lineages.
func (r *Run) optionSet(m *Metric, k int, limits Limits) (*optionSet, error) {
	if s, ok := r.sets[k]; ok {
		return s, nil
	}
	if err := r.traceLineages(m, k, limits); err != nil {
		return nil, err
	}
	_, purposes, err := r.Selection(k)
	if err != nil {
		return nil, err
	}
	s := &optionSet{Ref: fmt.Sprintf("%s:%d", r.Label(), k), K: k, Basis: r.SpecAt(k).Basis}
	for _, p := range purposes {
		s.Purposes = append(s.Purposes, signedPurpose{
			Purpose: p, Ref: report.OptionRef(r.Label(), k, p.J, p.Sign), First: r.lineages.firstIteration(k, p.J),
			compared: r.project(p.Vector),
		})
	}
	if !pod.HasActions(r.Env) {
		return s, nil
	}
	first := r.FirstNumber(k)
	for i := range s.Purposes {
		number := first + i
		s.Purposes[i].Number = &number
	}
	s.States = r.Env.States()
	s.Behaviours = func(list []int) ([]*behaviour, error) { return r.behavioursOf(k, list) }
	if s.Visits, err = r.visits(k); err == nil && r.cache {
		r.sets[k] = s
	}
	return s, err
}

// behaviour reads the option of iteration k's purpose i.
func (r *Run) behaviour(k, i int) (b *behaviour, err error) {
	err = r.eachBehaviour(k, []int{i}, func(_ int, one *behaviour) error {
		b = one
		return nil
	})
	return b, err
}

// behavioursOf reads the options of some of iteration k's purposes.
func (r *Run) behavioursOf(k int, list []int) ([]*behaviour, error) {
	all := make([]*behaviour, len(list))
	err := r.eachBehaviour(k, list, func(at int, b *behaviour) error {
		all[at] = b
		return nil
	})
	return all, err
}

// longestView is how long many options are read without letting those in who wait to write.
const longestView = 100 * time.Millisecond

// eachBehaviour calls f with the options of some of iteration k's purposes, in the order of the list. It reads many of
// them in one view, as each view opens the store and checks its pages again.
func (r *Run) eachBehaviour(k int, list []int, f func(at int, b *behaviour) error) error {
	source, err := r.learnedOf(k)
	if err != nil {
		return r.WrapError(k, err)
	}
	for at := 0; at < len(list); {
		if b := r.behaviours[source.Name(list[at])]; b != nil {
			if err := f(at, r.numbering.renumber(b)); err != nil {
				return err
			}
			at++
			continue
		}
		var failed error // of f, which is not the iteration's
		err := r.View(func(tx *tracker.Tx) error {
			for begin := time.Now(); at < len(list) && (time.Since(begin) < longestView); at++ {
				b, err := r.readBehaviour(tx, k, list[at], source)
				if err != nil {
					return err
				}
				if failed = f(at, r.numbering.renumber(b)); failed != nil {
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

// readBehaviour reads the option of iteration k's purpose i.
func (r *Run) readBehaviour(tx *tracker.Tx, k, i int, source learned) (*behaviour, error) {
	o, l, err := source.Load(tx, r.Env, i)
	if err != nil {
		return nil, err
	}
	b := newBehaviour(r.modelEnv(source.knew), o, pod.StateValues(r.Env, o, l),
		pod.ActionValues(source.knew, o.Purpose.Vector, l, r.SpecAt(k).Gamma))
	if r.cache {
		r.behaviours[source.Name(i)] = b
	}
	return b, nil
}

// modelEnv returns the environment with a model: its own, or the one that a learner estimated.
func (r *Run) modelEnv(knew pod.ModelEnv) pod.ModelEnv {
	if env, ok := pod.As[pod.ModelEnv](r.Env); ok {
		return env
	}
	return knew
}

// learnedOf returns the list of iteration k's options, once.
func (r *Run) learnedOf(k int) (l learned, err error) {
	if l, ok := r.learned[k]; ok {
		return l, nil
	}
	l.Learned = replay.ListLearned(r.Iterations[k])
	l.knew, err = r.LearnerEnv(k)
	if err == nil {
		r.learned[k] = l
	}
	return l, err
}

// visits counts the steps of iteration k by the state in which they began.
func (r *Run) visits(k int) ([]stateVisits, error) {
	counts := make([]int64, r.Env.States())
	_, err := r.VisitSteps(k, func(s replay.Step) { counts[s.State]++ })
	var visits []stateVisits
	for s, n := range counts {
		if n > 0 {
			visits = append(visits, stateVisits{State: r.numbering.index(s), Steps: n})
		}
	}
	return visits, r.WrapError(k, err)
}
