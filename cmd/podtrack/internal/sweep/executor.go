package sweep

import (
	"context"
	"errors"
	"sync"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// Executor executes runs of a plan in a store.
type Executor struct {
	Plan     *Plan
	Store    *tracker.Store
	Parallel int                              // runs at once
	With     replay.Options                   // how runs are executed
	Done     func(replay.Job, replay.Outcome) // of each run that was left, one at a time; may be nil
	Close    func(*groupcommit.Writer) error  // ends the writer, even after ctx is done
}

// Result counts the outcomes of the runs.
type Result struct {
	Complete    int
	Held        int       // another process is executing them
	Failures    []Failure // the first MaxFailures of them
	Failed      int
	Interrupted bool  // some runs were not started or were stopped
	First       error // of the failures, or what ended all work
}

// Failure is a run that was not completed, with the reason.
type Failure struct {
	Run    schema.Digest `json:"run"`
	Reason string        `json:"reason"`
}

// maxFailures limits the failures that are listed.
const maxFailures = 100

// Execute executes the runs with those indices. A failure of one does not stop the others, but
// everything stops once nothing can be written.
func (e Executor) Execute(ctx context.Context, numbers []int) (r Result, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	begun := 0
	writer := groupcommit.Start(ctx, e.Store)
	jobs := func(yield func(replay.Job) bool) {
		for _, i := range numbers {
			var job replay.Job
			if job, err = e.Plan.job(i); err != nil || !yield(job) {
				return
			}
		}
	}
	replay.NewEngine(e.Store, writer, e.With).RunAll(ctx, jobs, e.Parallel, func(j replay.Job, o replay.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		begun++
		if r.add(j, o); errors.Is(o.Err, tracker.ErrCommit) {
			stop()
		}
		if e.Done != nil {
			e.Done(j, o)
		}
	})
	err = errors.Join(err, e.Close(writer)) // which tells of runs that waited for a commit
	mu.Lock()
	defer mu.Unlock()
	r.Interrupted = r.Interrupted || begun < len(numbers) && err == nil
	return r, err
}

func (r *Result) add(j replay.Job, o replay.Outcome) {
	_, isHeld := errors.AsType[*tracker.HeldError](o.Err)
	switch {
	case o.Err == nil:
		r.Complete++
	case errors.Is(o.Err, replay.ErrInterrupted), errors.Is(o.Err, context.Canceled):
		r.Interrupted = true
	case isHeld:
		r.Held++
	default:
		if r.Failed++; r.First == nil {
			r.First = o.Err
		}
		if id, err := j.ID(); err == nil && len(r.Failures) < maxFailures {
			r.Failures = append(r.Failures, Failure{id, o.Err.Error()})
		}
	}
}
