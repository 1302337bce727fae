package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// A Store is a file of runs, and the way in for programs: it runs specs, and finds the runs that are
// recorded. It holds nothing open, needs no closing, and may be used by several goroutines and
// processes at once.
type Store struct{ tracker *tracker.Store }

// Create returns the store at a path, and makes an empty one where there is none.
func Create(ctx context.Context, path string) (*Store, error) {
	s := NewStore(tracker.New(path, tracker.Options{}))
	return s, s.tracker.Create(ctx)
}

// Open returns the store at a path. The error wraps [tracker.ErrNoStore] if there is none, and
// [tracker.ErrNotStore] if the file is something else.
func Open(ctx context.Context, path string) (*Store, error) {
	s := NewStore(tracker.New(path, tracker.Options{}))
	return s, s.tracker.View(ctx, func(*tracker.Tx) error { return nil })
}

// NewStore returns a Store over one of package tracker, which has options that [Create] and [Open]
// leave at their defaults.
func NewStore(store *tracker.Store) *Store { return &Store{store} }

// Tracker returns the store of package tracker, which has everything else that can be done with the
// file: transactions, annotations, removal.
func (s *Store) Tracker() *tracker.Store { return s.tracker }

// Run executes a job: it makes the run of its spec, or goes on with it where it was left, until it
// has Target iterations, and returns it as it is then. The zero Options serve for environments of
// this program.
//
// If ctx ends the work is saved, and the error wraps [ErrInterrupted] and [context.Canceled] or
// [context.DeadlineExceeded]: the same job goes on from there, and ends as if it had never been
// interrupted. Other errors leave what was recorded. If another process works on the run, the error
// wraps [*tracker.HeldError].
func (s *Store) Run(ctx context.Context, job Job, with Options) (*Run, error) {
	runs, err := s.RunAll(ctx, []Job{job}, 1, with)
	if len(runs) == 0 {
		return nil, err
	}
	return runs[0], err
}

// RunAll executes jobs like [Store.Run], at most parallel at once, or as many as there are processors
// if it is 0. It checks all of them before it begins, and returns the runs that were begun, in the
// order of the jobs, and the first error. An error in one does not stop the others.
func (s *Store) RunAll(ctx context.Context, jobs []Job, parallel int, with Options) ([]*Run, error) {
	jobs = append([]Job{}, jobs...)
	for i := range jobs {
		if err := jobs[i].Spec.Validate(); err != nil {
			return nil, err
		}
		if jobs[i].Target < 1 {
			return nil, schema.Hint(fmt.Errorf("a job of %d iterations", jobs[i].Target), "give its Target, at least 1")
		}
		if _, err := jobs[i].Check(ctx, s.tracker, with); err != nil {
			return nil, asInterruption(ctx, err)
		}
	}
	if parallel == 0 {
		parallel = runtime.NumCPU()
	}
	outcomes, err := RunJobs(ctx, s.tracker, jobs, parallel, with, func(w *groupcommit.Writer) error {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*s.tracker.Options().Wait)
		defer cancel()
		return w.Close(last)
	})
	err = asInterruption(ctx, err)
	runs := make([]*Run, 0, len(outcomes))
	for _, o := range outcomes {
		if o.Run.IsZero() {
			continue // it failed before there was a run
		}
		run, missing := s.findID(context.WithoutCancel(ctx), o.Run)
		if missing != nil {
			return runs, errors.Join(err, missing)
		}
		runs = append(runs, run)
	}
	return runs, err
}

// asInterruption returns err, which wraps ErrInterrupted if the end of ctx is what it tells of.
func asInterruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, ErrInterrupted) {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return err
}

// findID returns the run of that ID.
func (s *Store) findID(ctx context.Context, id schema.Digest) (run *Run, err error) {
	err = s.tracker.View(ctx, func(tx *tracker.Tx) error {
		source, err := tx.ReadRun(id)
		if err == nil {
			run, err = s.ReadRun(tx, source)
		}
		return err
	})
	return run, err
}

// Find returns the run with that name, the one whose ID begins with these digits, at least 4, or for
// @N the N-th newest, @1 being the newest. The error wraps [tracker.ErrMissing] if there is none.
// Package report finds runs by filters.
func (s *Store) Find(ctx context.Context, ref string) (run *Run, err error) {
	err = s.tracker.View(ctx, func(tx *tracker.Tx) error {
		source, err := tx.Resolve(ref)
		if err == nil {
			run, err = s.ReadRun(tx, source)
		}
		return err
	})
	return run, err
}

// Runs returns all runs, newest first. It reads none of their records.
func (s *Store) Runs(ctx context.Context) (runs []*Run, err error) {
	err = s.tracker.View(ctx, func(tx *tracker.Tx) error {
		runs = nil
		for source, err := range tx.Runs() {
			if err != nil {
				return err
			}
			run, err := s.ReadRun(tx, source)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}
