package tracker

import (
	"context"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
)

// CopyOptions selects what [Copy] copies and how it verifies it.
type CopyOptions struct {
	Runs     []schema.Digest // in this order, each once; nil means all, oldest first
	Validate func(Run) error // returns an error to refuse a run; may be nil. No store is open meanwhile

	// CheckShape returns the check of the shapes of a run's records, or nil if they are not
	// checked. It may be nil. The shapes of a sealed source are unknown.
	CheckShape func(Run) ShapeCheck

	// Sealed states that a SHA-256 of the whole source, known from elsewhere, has shown that
	// the source consists of the bytes that a podtrack process of the same owner wrote, closed
	// and sealed. Records are then copied without unpacking them, and only the header of their
	// stored form is checked. Rows, links, IDs and entries are verified as always, and so is
	// that each record exists; whoever reads a record verifies its digest.
	Sealed bool

	// Heal also reads what the target has of the runs. A record that is damaged or missing
	// there is copied like a new one.
	Heal bool

	Progress func(done, total int) // called with the finished runs; may be nil
}

// A ShapeCheck returns an error if a record of iteration k of a run cannot have that shape.
type ShapeCheck func(k int, kind schema.Kind, shape schema.Shape) error

// Copy copies runs to another store, which must exist: records, iterations with their costs,
// sessions and annotations, but no checkpoints and no leases. Records are copied in their stored
// form.
//
// All of a run is verified before any of it is written: its row, its chain, and the digest and the
// kind of each record, unless the source is sealed. A problem with one run, or a run that cannot be
// written, is the [CopyOutcome] of that run; the others continue. An error concerns more than one
// run; the report then lists the runs that are finished.
//
// A transaction writes part of one run or many runs, and is short: see [txSizer]. Meanwhile the
// next one is read and verified, but neither store is kept open while waiting for the other. If the
// copy is interrupted after any transaction, another copy completes it.
func Copy(ctx context.Context, from, to *Store, o CopyOptions) (CopyReport, error) {
	if SameFile(from, to) {
		return CopyReport{}, schema.Hint(fmt.Errorf("copy runs from %s: %w: it is the same file as %s", from.path,
			ErrInvalid, to.path), "name another store")
	}
	c := &copier{from: from, to: to, validate: o.Validate, checkShape: o.CheckShape, progress: o.Progress,
		verifier: newVerifier()}
	c.verifier.sealed = o.Sealed
	if o.Heal {
		c.ourVerifier = newVerifier()
	}
	err := c.copyRuns(ctx, o.Runs)
	return c.result(), err
}

// SameFile reports whether two stores are the same file, whatever their paths.
func SameFile(a, b *Store) bool {
	x, err := os.Stat(a.path)
	if err != nil {
		return false
	}
	y, err := os.Stat(b.path)
	return err == nil && os.SameFile(x, y)
}

// copier is the state of a running copy. Three goroutines form a pipeline: one surveys runs
// (copy_survey.go), one reads and verifies them (copy_load.go), and the caller's goroutine writes
// (copy_write.go).
type copier struct {
	from, to    *Store
	validate    func(Run) error
	checkShape  func(Run) ShapeCheck
	progress    func(done, total int)
	verifier    *verifier // of the loading goroutine
	ourVerifier *verifier // of the surveying goroutine, nil unless Heal is set
	sizer       txSizer   // of the writing goroutine

	runs    []*CopiedRun // each is owned by the goroutine that has its reader or segments
	records int
	bytes   int64
	healed  int
}

func (c *copier) result() CopyReport {
	done := CopyReport{Runs: []CopiedRun{}, Records: c.records, Bytes: c.bytes, Healed: c.healed}
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
	for _, id := range dedupe(ids) {
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

// dedupe returns the digests in order, without repetitions.
func dedupe(ids []schema.Digest) (some []schema.Digest) {
	seen := map[schema.Digest]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			some = append(some, id)
		}
	}
	return some
}

// listOldestFirst returns the runs of the source, oldest first, with repetitions if there are any.
// An unreadable row becomes a refused run.
func (c *copier) listOldestFirst(ctx context.Context) (ids []schema.Digest, err error) {
	err = c.from.View(ctx, func(tx *Tx) error {
		for key, row := range tx.rowsWithPrefix(bucketOrder, nil) {
			id, err := decodeRef(bucketOrder, key, row)
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
