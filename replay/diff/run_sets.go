package diff

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/tracker"
)

// optionSet returns the purposes that iteration k selected.
func (s *Side) optionSet(k int) (*optionSet, error) {
	_, purposes, err := s.Selection(k)
	if err != nil {
		return nil, err
	}
	set := &optionSet{Ref: fmt.Sprintf("%s:%d", s.Label(), k), K: k, Basis: s.SpecAt(k).Basis,
		Purposes: s.signed(k, purposes)}
	if !envs.HasActions(s.Env) {
		return set, nil
	}
	for i := range set.Purposes {
		set.Purposes[i].Number = new(s.FirstNumber(k) + i)
	}
	set.States = s.Env.States()
	set.Behaviours = func(list []int) ([]*behaviours.Behaviour, error) { return s.behavioursOf(k, list) }
	set.Visits, err = s.visits(k)
	return set, err
}

// behaviour reads the option of iteration k's purpose i.
func (s *Side) behaviour(k, i int) (*behaviours.Behaviour, error) {
	all, err := s.behavioursOf(k, []int{i})
	return all[0], err
}

// behavioursOf reads the options of some of iteration k's purposes.
func (s *Side) behavioursOf(k int, list []int) ([]*behaviours.Behaviour, error) {
	all := make([]*behaviours.Behaviour, len(list))
	err := s.eachBehaviour(k, list, func(at int, b *behaviours.Behaviour) error {
		all[at] = b
		return nil
	})
	return all, err
}

// longestView is how long a transaction may read options while writers wait.
const longestView = 100 * time.Millisecond

// eachBehaviour calls f with the options of some of iteration k's purposes, in the order of the list. It reads many of
// them in one transaction: each transaction opens the store and checks its pages again.
func (s *Side) eachBehaviour(k int, list []int, f func(at int, b *behaviours.Behaviour) error) error {
	source, err := s.learnedOf(k)
	if err != nil {
		return s.WrapError(k, err)
	}
	for at := 0; at < len(list); {
		var failed error // by f: not an error of reading the iteration
		err := s.View(func(tx *tracker.Tx) error {
			for begin := time.Now(); at < len(list) && (time.Since(begin) < longestView); at++ {
				b, err := s.readBehaviour(tx, k, list[at], source)
				if err != nil {
					return err
				}
				if failed = f(at, s.numbering.Renumber(b)); failed != nil {
					return nil
				}
			}
			return nil
		})
		switch {
		case err != nil:
			return s.WrapError(k, err)
		case failed != nil:
			return failed
		}
	}
	return nil
}

// readBehaviour reads the option of iteration k's purpose i.
func (s *Side) readBehaviour(tx *tracker.Tx, k, i int, source learned) (*behaviours.Behaviour, error) {
	o, l, err := source.Load(tx, s.Env, i)
	if err != nil {
		return nil, err
	}
	model, ok := envs.As[envs.ModelEnv](s.Env)
	if !ok {
		model = source.knew // which the learner estimated
	}
	return behaviours.New(model, o, learn.StateValues(s.Env, o, l),
		learn.ActionValues(source.knew, o.Purpose.Vector, l, s.SpecAt(k).Gamma)), nil
}

// learnedOf returns the cached list of iteration k's options.
func (s *Side) learnedOf(k int) (l learned, err error) {
	if l, ok := s.learned[k]; ok {
		return l, nil
	}
	l.Learned = recorded.ListLearned(s.Iterations[k])
	l.knew, err = s.LearnerEnv(k)
	if err == nil {
		s.learned[k] = l
	}
	return l, err
}

// visits counts the steps of iteration k by the state in which they began.
func (s *Side) visits(k int) ([]behaviours.StateVisits, error) {
	counts := make([]int64, s.Env.States())
	_, err := s.VisitSteps(k, func(step recorded.Step) { counts[step.State]++ })
	var visits []behaviours.StateVisits
	for state, n := range counts {
		if n > 0 {
			visits = append(visits, behaviours.StateVisits{State: s.numbering.Index(state), Steps: n})
		}
	}
	return visits, s.WrapError(k, err)
}
