package replay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// RunJobs executes jobs that [CheckJobs] has accepted in an existing store, at most parallel at once. It returns the
// outcomes of the jobs that began, in the order of jobs, and the first error. It commits through a writer of its own,
// which closeWriter closes.
func RunJobs(
	ctx context.Context, store *tracker.Store, jobs []Job, parallel int, with Options,
	closeWriter func(*groupcommit.Writer) error,
) ([]Outcome, error) {
	byID := map[schema.Digest]Outcome{}
	var mu sync.Mutex
	var first error
	writer := groupcommit.Start(ctx, store)
	engine := NewEngine(store, writer, with)
	engine.checked = true
	engine.RunAll(ctx, slices.Values(jobs), parallel, func(_ Job, o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		byID[o.Run] = o
		if first == nil || errors.Is(first, ErrInterrupted) {
			first = cmp.Or(o.Err, first)
		}
	})
	err := closeWriter(writer)
	if err == nil && ctx.Err() != nil && len(byID) < len(jobs) {
		err = stages.InterruptedBy(ctx) // before every job began
	}
	return inOrder(jobs, byID), cmp.Or(first, err)
}

// inOrder returns the outcomes in the order of the jobs.
func inOrder(jobs []Job, byID map[schema.Digest]Outcome) []Outcome {
	var outcomes []Outcome
	for _, j := range jobs {
		if id, err := j.ID(); err == nil {
			if o, ok := byID[id]; ok {
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}
