package diff

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A Side is a run, opened to be compared with others.
type Side struct {
	*recorded.Records

	code      *tracker.Code // of the last session, nil if it is unknown
	numbering behaviours.Numbering

	metrics       map[*Side]runsMetric // by the other run
	coordinateMap coordinateMap        // of the metric that was requested last
	learned       map[int]learned      // by k
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
	err := run.View(func(tx *tracker.Tx) (err error) {
		run.code, err = readCode(tx, run.ID)
		return err
	})
	return run, err
}

// readCode returns the code of the last session that recorded its code, nil for none.
func readCode(tx *tracker.Tx, id schema.Digest) (*tracker.Code, error) {
	sessions, err := tx.ReadSessions(id)
	for _, s := range slices.Backward(sessions) {
		if s.Code != nil {
			return s.Code, err
		}
	}
	return nil, err
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
	other.coordinateMap, s.coordinateMap = m.projections[1], m.projections[0]
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
