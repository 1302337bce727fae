package replay

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A Run is a recorded run as it was when it was read, and reads its records. The embedded [tracker.Run] never changes;
// the other fields can.
//
// Functions that take an iteration k return an error that wraps [ErrMissing] unless k is from 0 to
// Iterations−1, and [ErrPruned] or [ErrDamaged] if a record was pruned or is damaged. Each record is
// checked against its digest when it is read. A Run is not safe for concurrent use.
type Run struct {
	tracker.Run
	Name       string // "" for none
	Short      string // shortest unique prefix of the ID
	Note       string
	Tags       []string
	Created    time.Time
	Iterations int           // recorded, counted from 0
	Target     int           // iterations to reach
	Head       schema.Digest // stands for all that is recorded; zero before the first iteration
	Status     Status
	Failure    string // of the last attempt, "" for none

	store   *tracker.Store
	records *recorded.Records // nil before they are needed
}

// ReadRun reads a run of this store in a transaction, and none of its records.
func (s *Store) ReadRun(tx *tracker.Tx, source tracker.Run) (*Run, error) {
	a, err := tx.ReadAnnotation(source.ID)
	if err != nil {
		return nil, err
	}
	r := &Run{Run: source, Name: a.Name, Short: tx.ShortID(source.ID), Note: a.Note, Target: a.Target, Failure: a.Failure,
		Created: time.Unix(0, a.Created).UTC(), store: s.tracker}
	if r.Iterations, r.Head, err = tx.ReadHead(source.ID); err != nil {
		return nil, err
	}
	if r.Tags, err = tx.ReadTags(source.ID); err != nil {
		return nil, err
	}
	r.Status, err = tx.DeriveStatus(source.ID, a, r.Iterations)
	return r, err
}

// Store returns the store that the run was read from.
func (r *Run) Store() *Store { return NewStore(r.store) }

// Label returns the run's name, or the short form of its ID if it has none.
func (r *Run) Label() string { return cmp.Or(r.Name, r.Short) }

// Env returns the run's environment with all observations that were recorded.
func (r *Run) Env(ctx context.Context) (envs.Env, error) {
	records, err := r.Records(ctx)
	if err != nil {
		return nil, err
	}
	return records.Env, nil
}

// A Step is one recorded step of an iteration.
type Step = recorded.Step

// Steps returns the recorded steps of iteration k, in order. The sequence ends at the first error.
func (r *Run) Steps(ctx context.Context, k int) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		records, err := r.iteration(ctx, k)
		goesOn := true
		if err == nil {
			_, err = records.VisitStepsWhile(k, func(s Step) bool {
				goesOn = yield(s, nil)
				return goesOn
			})
			err = records.WrapError(k, err)
		}
		if err != nil && goesOn {
			yield(Step{}, err)
		}
	}
}

// Rewards returns the reward of each step of iteration k, nil if the environment declares none.
func (r *Run) Rewards(ctx context.Context, k int) (rewards []float64, err error) {
	records, err := r.iteration(ctx, k)
	if err != nil || !r.Spec.Env.HasReward() {
		return nil, err
	}
	it, steps := records.Iterations[k], records.SpecAt(k).Steps
	err = recorded.VisitRewards(records.View, it, steps, func(own schema.Rewards) error {
		rewards = append(rewards, own...)
		return nil
	})
	return rewards, records.WrapError(k, err)
}

// readOf reads something of iteration k in a transaction.
func readOf[T any](
	ctx context.Context, r *Run, k int, read func(*tracker.Tx, *recorded.Records, schema.Iteration) (T, error),
) (v T, err error) {
	records, err := r.iteration(ctx, k)
	if err != nil {
		return v, err
	}
	v, err = tracker.Read(records.View, func(tx *tracker.Tx) (T, error) {
		return read(tx, records, records.Iterations[k])
	})
	return v, records.WrapError(k, err)
}

// Factors returns the singular value decomposition of iteration k: σ, descending, V, whose columns
// are the directions, and the distinct rows of D with counts.
func (r *Run) Factors(ctx context.Context, k int) (schema.Factors, error) {
	return readOf(ctx, r, k, func(tx *tracker.Tx, x *recorded.Records, it schema.Iteration) (schema.Factors, error) {
		return recorded.LoadFactors(tx, x.Env, x.SpecAt(k), it)
	})
}

// Purposes returns the eigenpurposes that iteration k selected, each direction with both signs unless
// the spec follows one.
func (r *Run) Purposes(ctx context.Context, k int) ([]schema.Purpose, error) {
	records, err := r.iteration(ctx, k)
	if err != nil {
		return nil, err
	}
	_, purposes, err := records.Selection(k)
	return purposes, err
}

// Selection returns the decision on each direction of iteration k, with its reason.
func (r *Run) Selection(ctx context.Context, k int) (s schema.Selection, err error) {
	return readOf(ctx, r, k, func(tx *tracker.Tx, x *recorded.Records, it schema.Iteration) (schema.Selection, error) {
		return recorded.LoadSelection(tx, x.SpecAt(k), it)
	})
}

// Measures returns the measures of iteration k.
func (r *Run) Measures(ctx context.Context, k int) (m schema.Measures, err error) {
	return readOf(ctx, r, k, func(tx *tracker.Tx, _ *recorded.Records, it schema.Iteration) (schema.Measures, error) {
		return tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
	})
}

// Verify executes every stage of the run again from its recorded inputs, and compares the results
// with the records, like [Verify]. The run is proved if [Verification.Identical] is true.
func (r *Run) Verify(ctx context.Context, with Options) (Verification, error) {
	return Verify(ctx, r.store, r.Run, Scope{}, with)
}

// Continue executes the run until it has target iterations, like [Store.Run], and returns it as it then is.
func (r *Run) Continue(ctx context.Context, target int, with Options) (*Run, error) {
	return r.Store().Run(ctx, Job{Spec: r.Spec, Start: r.Start, Target: target}, with)
}

// Records returns the records of the iterations that the run had when it was read. They can be read until ctx is done.
func (r *Run) Records(ctx context.Context) (*recorded.Records, error) {
	view := r.store.Within(ctx)
	if r.records == nil {
		records, err := recorded.Open(view, r.Run)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Label(), err)
		}
		if len(records.Iterations) < r.Iterations {
			return nil, fmt.Errorf("run %s: %w: it had %d iterations and has %d", r.Label(), ErrRemoved, r.Iterations,
				len(records.Iterations))
		}
		records.Iterations = records.Iterations[:r.Iterations]
		r.records = records
	}
	return r.records.With(view), nil
}

// iteration returns the records if the run has iteration k.
func (r *Run) iteration(ctx context.Context, k int) (*recorded.Records, error) {
	if k < 0 || k >= r.Iterations {
		return nil, schema.Hint(fmt.Errorf("run %s has no iteration %d: %w", r.Label(), k, tracker.ErrMissing),
			"it has %d, counted from 0", r.Iterations)
	}
	return r.Records(ctx)
}
