// Package merge is podtrack's own: it copies runs from one store to another. A run that both have becomes the
// longer of the two, with the metadata of both. Records that are damaged in the target are replaced.
//
// A run is read as a stream of segments: iterations with the records that they list, in order. A batch of segments, of
// one run or of many, is verified, and then written in one transaction, while the next one is read.
package merge

import (
	"cmp"
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

	// CheckShape returns the check of the shapes of a run's records, or nil if they are not checked. It may be nil.
	CheckShape func(tracker.Run) tracker.ShapeCheck

	// Heal also reads the target's records of the runs. A record that is damaged or missing there is copied like a
	// new one.
	Heal bool

	Progress func(done, total int) // called with the finished runs; may be nil
}

// Run copies runs to another store, which must exist: records, iterations with their costs, sessions and annotations,
// but no checkpoints and no leases. Records are copied in their stored form.
//
// The whole run is verified before any of it is written: its row, its chain, and the digest and the kind of
// each record. A problem with one run becomes the [Outcome] of that run; the
// others continue. An error concerns more than one run; the report then lists the finished runs.
//
// A transaction writes a part of one run or many runs, and is short: see [tracker.Store.UpdateSized]. Meanwhile the
// next batch is read and verified. Neither store is kept open while waiting for the other. If the copy is
// interrupted after any transaction, another copy completes it.
func Run(ctx context.Context, from, to *tracker.Store, o Options) (Report, error) {
	if tracker.SameFile(from, to) {
		return Report{}, schema.Hint(fmt.Errorf("copy runs from %s: %w: it is the same file as %s", from.Path(),
			tracker.ErrInvalid, to.Path()), "name another store")
	}
	c := &copier{Options: o, from: from, to: to, verifier: verify.New()}
	err := c.copyRuns(ctx)
	return c.report(), err
}

// A copier is the state of a running copy. Two goroutines form a pipeline: one reads both stores and verifies what must
// be copied, batch by batch (load.go), and the caller's writes (write.go).
type copier struct {
	Options
	from, to *tracker.Store
	verifier *verify.Verifier // of the loading goroutine
	runs     []*CopiedRun     // those of a batch are owned by the goroutine that has the batch
}

func (c *copier) report() Report {
	done := Report{Runs: []CopiedRun{}}
	for _, r := range c.runs {
		done.Records, done.Bytes, done.Healed = done.Records+r.records, done.Bytes+r.bytes, done.Healed+r.Healed
		if r.settled {
			done.Runs = append(done.Runs, *r)
		}
	}
	return done
}

func (c *copier) copyRuns(ctx context.Context) (err error) {
	ids := c.Runs
	if ids == nil {
		if ids, err = c.listOldestFirst(ctx); err != nil {
			return err
		}
	}
	unreadable := len(c.runs)
	for _, id := range rows.Dedupe(ids) {
		c.runs = append(c.runs, &CopiedRun{Run: id})
	}
	runs, done := c.runs[unreadable:], 0
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches, loaded := make(chan *batch), make(chan error, 1)
	go func() {
		defer close(batches)
		loaded <- c.load(ctx, runs, batches)
	}()
	for b := range batches {
		if err = c.write(ctx, b); err != nil {
			break
		}
		if done += b.countFinished(); c.Progress != nil {
			c.Progress(done, len(runs))
		}
	}
	stop()
	return cmp.Or(err, <-loaded)
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
