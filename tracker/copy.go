package tracker

import (
	"context"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
)

// CopyOptions says what is copied.
type CopyOptions struct {
	Runs     []schema.Digest // in this order, each once; nil stands for all, the oldest first
	Validate func(Run) error // refuses a run for what this package cannot judge; may be nil. No store is open meanwhile

	// Fit returns what refuses a record of the run by its shape, which this package cannot
	// judge; nil where nothing does. It may be nil. Of a sealed source no shape is known.
	CheckShape func(Run) ShapeCheck

	// Sealed says that a SHA-256 of the whole source, which is known from elsewhere, found
	// it to be the very bytes that a podtrack process of the same owner wrote, closed and
	// sealed. Then records are copied without unpacking them: of their stored form only
	// the header is looked at. Rows, links, IDs and entries are verified as ever, and that
	// each record is there; and who reads a record holds it to its digest, here as
	// everywhere.
	Sealed bool

	// Heal says to read what is here of the runs, too. A record that is damaged or missing
	// here comes over like one that never was.
	Heal bool

	Progress func(done, total int) // is told how many runs were gone through; may be nil
}

// A ShapeCheck reports an error where a record in iteration k of a run cannot be of that
// shape.
type ShapeCheck func(k int, kind schema.Kind, shape schema.Shape) error

// Copy copies runs from one store into another, which must be there: records
// and iterations with their costs, sessions, and what is said of them, but no
// checkpoint and no lease. Records are copied as they are stored.
//
// All of a run is proved before any of it is written: its row, its chain, and of
// each record the digest and the kind, unless the source is sealed. What is wrong with one run, or what keeps
// it from being written to, is its outcome; the others go on. An error is of
// more than one run; then the runs returned are those of which all is settled.
//
// A transaction brings a part of one run or many runs, and is short: see [txSizer]. While
// it is written, the next one is read and proved; but nobody waits for one of the two
// stores while it has the other one open. Whatever transaction is the last one,
// another copy completes it.
func Copy(ctx context.Context, from, to *Store, o CopyOptions) (CopyReport, error) {
	if SameFile(from, to) {
		return CopyReport{}, schema.Hint(fmt.Errorf("copy runs from %s: %w: it is the same file as %s", from.path, ErrInvalid, to.path), "name another store")
	}
	c := &copier{from: from, to: to, validate: o.Validate, checkShape: o.CheckShape, progress: o.Progress, verifier: newVerifier()}
	c.verifier.sealed = o.Sealed
	if o.Heal {
		c.ourVerifier = newVerifier()
	}
	err := c.copyRuns(ctx, o.Runs)
	return c.result(), err
}

// SameFile reports whether two stores are one file, by whatever path.
func SameFile(a, b *Store) bool {
	x, err := os.Stat(a.path)
	if err != nil {
		return false
	}
	y, err := os.Stat(b.path)
	return err == nil && os.SameFile(x, y)
}

// copier is a copy under way. Three goroutines have a part in it, each of which
// hands its work on to the next: one surveys runs (copy_survey.go), one reads and
// proves what is to come over (copy_load.go), and the caller's writes (copy_write.go).
type copier struct {
	from, to    *Store
	validate    func(Run) error
	checkShape  func(Run) ShapeCheck
	progress    func(done, total int)
	verifier    *verifier // of the second
	ourVerifier *verifier // of the first, nil where nothing is healed
	sizer       txSizer   // of the last

	runs    []*CopiedRun // each is for who has its reader, or the parcels of it
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
			stop() // and wait for the others
			return err
		}
		if done += s.countFinished(); c.progress != nil {
			c.progress(done, total)
		}
	}
	return nil
}

// dedupe are the digests without repetitions.
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

// listOldestFirst are the runs of the other store, as often as they are listed. A row that
// cannot be read stands for a run that is refused.
func (c *copier) listOldestFirst(ctx context.Context) (ids []schema.Digest, err error) {
	err = c.from.View(ctx, func(tx *Tx) error {
		for key, row := range tx.rowsWithPrefix(bucketOrder, nil) {
			id, err := decodeRef(bucketOrder, key, row)
			if err != nil {
				r := &CopiedRun{}
				c.runs = append(c.runs, r)
				_ = r.setOutcome(refusedError(-1, nil, err)) // a flaw is of the run alone
			} else {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}
