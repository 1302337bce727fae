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

// Errors of a store and its runs, which other errors wrap.
var (
	ErrNoStore  = tracker.ErrNoStore  // no file is there
	ErrNotStore = tracker.ErrNotStore // the file is something else, or damaged beyond opening
	ErrFormat   = tracker.ErrFormat   // another version of podtrack made the store
	ErrMissing  = tracker.ErrMissing  // the store has no such run or iteration
	ErrTaken    = tracker.ErrTaken    // another run has the name
	ErrPruned   = tracker.ErrPruned   // the record was pruned
	ErrDamaged  = tracker.ErrDamaged  // the record is damaged
	ErrLocked   = tracker.ErrLocked   // another process holds the store, or the run
)

// A HeldError reports that another process works on the run, and which. It is an [ErrLocked].
type HeldError = tracker.HeldError

// A Status is the state of a run.
type Status = tracker.Status

// The states of a run. A failed or interrupted one goes on by [Run.Continue].
const (
	Complete    = tracker.Complete
	Running     = tracker.Running
	Failed      = tracker.Failed
	Interrupted = tracker.Interrupted
)

// A Retention selects the records of a run that are kept, for [Job].
type Retention = tracker.Retention

// A Store is a file of runs. It executes specs and finds recorded runs. It keeps nothing open, so it is never closed,
// and may be used by several goroutines and processes at once.
type Store struct{ tracker *tracker.Store }

// Create opens the store at path, and creates it if it does not exist.
func Create(ctx context.Context, path string) (*Store, error) {
	s := NewStore(tracker.New(path, tracker.Options{}))
	return s, s.tracker.Create(ctx)
}

// Open opens the store at path. The error wraps [ErrNoStore] if there is no file, and [ErrNotStore] if
// the file is not a store.
func Open(ctx context.Context, path string) (*Store, error) {
	s := NewStore(tracker.New(path, tracker.Options{}))
	return s, s.tracker.View(ctx, func(*tracker.Tx) error { return nil })
}

// NewStore returns a Store over store, whose options [Create] and [Open] leave at their defaults.
func NewStore(store *tracker.Store) *Store { return &Store{store} }

// Tracker returns the underlying store, for everything else that can be done with the file: transactions, annotations,
// removal.
func (s *Store) Tracker() *tracker.Store { return s.tracker }

// Run executes a job: it creates or resumes the run of its spec, executes it until it has Target iterations, and
// returns it. The zero Options suffice unless the spec names an external environment or stage.
//
// If ctx is done, Run saves the work, and the error wraps [ErrInterrupted] and [context.Canceled] or
// [context.DeadlineExceeded]. The same job then resumes the run, with the result of an uninterrupted one. After any
// other error the recorded iterations remain. If another process works on the run, the error wraps
// [*HeldError].
func (s *Store) Run(ctx context.Context, job Job, with Options) (*Run, error) {
	runs, err := s.RunAll(ctx, []Job{job}, 1, with)
	if len(runs) == 0 {
		return nil, err
	}
	return runs[0], err
}

// RunAll executes jobs like [Store.Run], at most parallel at once; 0 means the number of processors. It checks all jobs
// before it starts one. It returns the runs that were started, in the order of jobs, and the first error. An error in
// one does not stop the others.
func (s *Store) RunAll(ctx context.Context, jobs []Job, parallel int, with Options) ([]*Run, error) {
	jobs = append([]Job{}, jobs...)
	for i := range jobs {
		if err := CheckSpec(&jobs[i].Spec); err != nil {
			return nil, err
		}
		if jobs[i].Target < 1 {
			return nil, schema.Hint(fmt.Errorf("a job with target %d", jobs[i].Target), "set Target to at least 1")
		}
	}
	if err := CheckJobs(ctx, s.tracker, jobs, with); err != nil {
		return nil, asInterruption(ctx, err)
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
	last := context.WithoutCancel(ctx)
	missing := tracker.ViewEach(last, s.tracker, outcomes, func(tx *tracker.Tx, o Outcome) error {
		if o.Run.IsZero() {
			return nil // it failed before its run was created
		}
		source, err := tx.ReadRun(o.Run)
		if err != nil {
			return err
		}
		run, err := s.ReadRun(tx, source)
		if err == nil {
			runs = append(runs, run)
		}
		return err
	})
	if missing != nil {
		err = errors.Join(err, missing)
	}
	return runs, err
}

// asInterruption returns err, wrapped in ErrInterrupted if the end of ctx caused it.
func asInterruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.Is(err, ErrInterrupted) {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return err
}

// Find returns the run that ref names: by its name, by the first digits of its ID, at least 4, or by @N, the N-th
// newest. The error wraps [ErrMissing] if there is none. Package report finds runs by filters.
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
	return tracker.Read(s.tracker.Within(ctx), func(tx *tracker.Tx) ([]*Run, error) {
		return tracker.ScanNewest(tx, func(tx *tracker.Tx, source tracker.Run) (*Run, bool, error) {
			run, err := s.ReadRun(tx, source)
			return run, true, err
		})
	})
}
