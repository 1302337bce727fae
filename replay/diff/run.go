package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A Side is a run, opened to be compared with others.
type Side struct {
	*recorded.Records

	code      *tracker.Code // of the last session that recorded its code, nil for none
	numbering behaviours.Numbering

	metrics    map[*Side]runsMetric // by the other run
	projection selection.Projection // to the coordinates of the metric that was requested last
	learned    map[int]learned      // by k
}

// learned lists an iteration's options, and holds the environment as their learner knew it.
type learned struct {
	recorded.Learned
	knew envs.ModelEnv
}

// Open opens the run that a reference names.
func Open(ctx context.Context, store *tracker.Store, ref string) (*Side, error) {
	records, err := report.Open(ctx, store, ref)
	if err != nil {
		return nil, err
	}
	return New(records)
}

// New returns a Side of a run's records.
func New(records *recorded.Records) (*Side, error) {
	run := &Side{Records: records, learned: map[int]learned{}, metrics: map[*Side]runsMetric{}}
	sessions, err := tracker.Read(run.View, func(tx *tracker.Tx) ([]tracker.Session, error) {
		return tx.ReadSessions(run.ID)
	})
	for _, s := range sessions {
		run.code = cmp.Or(s.Code, run.code)
	}
	return run, err
}

// openAll opens several runs, in the order of their seeds.
func openAll(ctx context.Context, store *tracker.Store, selected []report.Run) ([]*Side, error) {
	if err := report.Sort(selected, "seed"); err != nil {
		return nil, err
	}
	var runs []*Side
	for _, r := range selected {
		records, err := recorded.Open(store.Within(ctx), r.Source)
		if err != nil {
			return nil, err
		}
		run, err := New(records)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// metric returns the metric for comparing this run with another one. It gives the other run's states this run's
// numbering.
func (s *Side) metric(ctx context.Context, other *Side) (*metric, error) {
	alignStates(s, other)
	m, ok := s.metrics[other]
	if !ok {
		var err error
		if m, err = metricOf(ctx, s, other); err != nil {
			return nil, err
		}
		s.metrics[other] = m
	}
	other.projection, s.projection = m.projections[1], m.projections[0]
	return m.metric, nil
}

// SpecOf returns the spec of the run, or that of the iteration or option that a reference names.
func (s *Side) SpecOf(ref report.Ref) schema.Spec {
	if ref.IsOption() {
		ref, _ = report.ResolveRef(s.Records, ref)
	}
	if ref.WholeRun || ref.K >= len(s.Iterations) {
		return s.Spec
	}
	return s.SpecAt(ref.K)
}

// errNoOptions is the error of runs without options.
var errNoOptions = errors.New("no options to compare")

// alignStates gives runs one numbering of states if states are observations, which each run numbers in the order of
// first observation: the states of the first run, followed by those that only others observed.
func alignStates(runs ...*Side) {
	var observed []*envs.ObservedStates
	for _, r := range runs {
		if env, ok := envs.As[envs.GrowingEnv](r.Env); ok {
			observed = append(observed, env.Observed())
		}
	}
	if len(observed) < len(runs) {
		return
	}
	indices, states := envs.AlignStates(observed...)
	for i, r := range runs {
		r.numbering = behaviours.Numbering{Indices: indices[i], States: states}
	}
}

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

const longestView = 100 * time.Millisecond // of a transaction that reads options while writers wait

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
	if l.knew, err = s.LearnerEnv(k); err == nil {
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
