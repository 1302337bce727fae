package sweep

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Executor executes runs of a plan into a store.
type Executor struct {
	Plan     *Plan
	Store    *tracker.Store
	Parallel int                              // runs at once
	Report   func(replay.Event)               // of progress, from several goroutines; may be nil
	Done     func(replay.Job, replay.Outcome) // of each run that was left, one at a time; may be nil
	Close    func(*tracker.Writer) error      // ends the writer, even after ctx is done
}

// Result is what became of the runs.
type Result struct {
	Complete    int
	Held        int       // another process works on them
	Failures    []Failure // the first MaxFailures of them
	Failed      int
	Interrupted bool  // not every run was begun, or some were stopped
	First       error // of the failures, or what ended all work
}

// Failure is why a run was not completed.
type Failure struct {
	Run schema.Digest
	Err error
}

// MaxFailures bounds what is told of single runs.
const MaxFailures = 100

// Do executes the runs of those numbers. A failure of one does not stop the others,
// but nothing goes on once nothing can be written.
func (w Executor) Execute(ctx context.Context, numbers []int) (r Result, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	begun := 0
	writer := w.Store.StartWriter(ctx)
	replay.NewEngine(w.Store, writer, w.Report).RunAll(ctx, w.jobs(numbers, &err), w.Parallel, func(j replay.Job, o replay.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		begun++
		if r.add(j, o); errors.Is(o.Err, tracker.ErrCommit) {
			stop()
		}
		if w.Done != nil {
			w.Done(j, o)
		}
	})
	err = errors.Join(err, w.Close(writer)) // which tells of runs that waited for a commit
	mu.Lock()
	defer mu.Unlock()
	r.Interrupted = r.Interrupted || begun < len(numbers) && err == nil
	return r, err
}

// jobs makes the runs' jobs, each when its turn comes. err is why the rest were not
// made.
func (w Executor) jobs(numbers []int, err *error) iter.Seq[replay.Job] {
	return func(yield func(replay.Job) bool) {
		for _, i := range numbers {
			var job replay.Job
			if job, *err = w.Plan.Job(i); *err != nil || !yield(job) {
				return
			}
		}
	}
}

func (r *Result) add(j replay.Job, o replay.Outcome) {
	switch {
	case o.Err == nil:
		r.Complete++
	case errors.Is(o.Err, replay.ErrInterrupted), errors.Is(o.Err, context.Canceled):
		r.Interrupted = true
	case isHeld(o.Err):
		r.Held++
	default:
		if r.Failed++; r.First == nil {
			r.First = o.Err
		}
		if id, err := j.ID(); err == nil && len(r.Failures) < MaxFailures {
			r.Failures = append(r.Failures, Failure{id, o.Err})
		}
	}
}

func isHeld(err error) bool {
	var held *tracker.HeldError
	return errors.As(err, &held)
}
