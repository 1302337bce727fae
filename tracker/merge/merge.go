// Package merge is podtrack's own: it copies runs from one store to another. A run that both have becomes the
// longer of the two, with the metadata of both. Records that are damaged in the target are replaced.
//
// It is a pipeline of three stages: the first surveys both stores, the second reads and verifies what must be
// copied, and the third writes it.
package merge

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Options selects what [Run] copies and how it verifies it.
type Options struct {
	Runs     []schema.Digest         // runs to copy, in this order, each once; nil means all, oldest first
	Validate func(tracker.Run) error // returns an error to refuse a run; may be nil. No store is open meanwhile

	// CheckShape returns the check of the shapes of a run's records, or nil if they are not
	// checked. It may be nil.
	CheckShape func(tracker.Run) tracker.ShapeCheck

	// Heal also reads the target's records of the runs. A record that is damaged or missing there is copied like a
	// new one.
	Heal bool

	Progress func(done, total int) // called with the finished runs; may be nil
}

// Run copies runs to another store, which must exist: records, iterations with their costs,
// sessions and annotations, but no checkpoints and no leases. Records are copied in their stored
// form.
//
// The whole run is verified before any of it is written: its row, its chain, and the digest and the kind of
// each record. A problem with one run becomes the [Outcome] of that run; the
// others continue. An error concerns more than one run; the report then lists the finished runs.
//
// A transaction writes a part of one run or many runs, and is short: see [tracker.TxSizer]. Meanwhile the next
// batch is read and verified. Neither store is kept open while waiting for the other. If the copy is
// interrupted after any transaction, another copy completes it.
func Run(ctx context.Context, from, to *tracker.Store, o Options) (Report, error) {
	if tracker.SameFile(from, to) {
		return Report{}, schema.Hint(fmt.Errorf("copy runs from %s: %w: it is the same file as %s", from.Path(),
			tracker.ErrInvalid, to.Path()), "name another store")
	}
	c := &copier{from: from, to: to, validate: o.Validate, checkShape: o.CheckShape, progress: o.Progress,
		heal: o.Heal, verifier: verify.New()}
	err := c.copyRuns(ctx, o.Runs)
	return c.result(), err
}

// A copier is the state of a running copy. Three goroutines form a pipeline: one surveys runs (survey.go), one
// reads and verifies them (load.go), and the caller's writes (write.go).
type copier struct {
	from, to   *tracker.Store
	validate   func(tracker.Run) error
	checkShape func(tracker.Run) tracker.ShapeCheck
	progress   func(done, total int)
	heal       bool             // also find damaged records of the target
	verifier   *verify.Verifier // of the loading goroutine
	sizer      tracker.TxSizer  // of the writing goroutine

	runs    []*CopiedRun // each is owned by the goroutine that has its reader or segments
	records int
	bytes   int64
	healed  int
}

func (c *copier) result() Report {
	done := Report{Runs: []CopiedRun{}, Records: c.records, Bytes: c.bytes, Healed: c.healed}
	for _, r := range c.runs {
		if r.settled {
			done.Runs = append(done.Runs, *r)
		}
	}
	return done
}

func (c *copier) copyRuns(ctx context.Context, ids []schema.Digest) (err error) {
	if ids == nil {
		if ids, err = c.listOldestFirst(ctx); err != nil {
			return err
		}
	}
	first := len(c.runs)
	for _, id := range rows.Dedupe(ids) {
		c.runs = append(c.runs, &CopiedRun{Run: id})
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done, total := 0, len(c.runs)-first
	for s, err := range prefetch(c.loadBatches(ctx, prefetch(c.surveyRuns(ctx, c.runs[first:])))) {
		if err == nil {
			err = c.writeBatch(ctx, s)
		}
		if err != nil {
			stop() // the loop then waits for the other goroutines
			return err
		}
		if done += s.countFinished(); c.progress != nil {
			c.progress(done, total)
		}
	}
	return nil
}

// listOldestFirst returns the runs of the source, oldest first, possibly with repetitions. An unreadable row
// becomes a refused run.
func (c *copier) listOldestFirst(ctx context.Context) (ids []schema.Digest, err error) {
	err = c.from.View(ctx, func(tx *tracker.Tx) error {
		for key, row := range tx.Rows().WithPrefix(rows.BucketOrder, nil) {
			id, err := rows.DecodeRef(rows.BucketOrder, key, row)
			if err != nil {
				r := &CopiedRun{}
				c.runs = append(c.runs, r)
				_ = r.setOutcome(refusedError(-1, nil, err)) // always nil for a runError
			} else {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}
