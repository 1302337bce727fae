// Package excerpt is podtrack's own: it extracts one run from a store, with the bytes of some of its records
// and only the digests of the others. Such an excerpt can prove a part of the run.
//
// [Write] writes an excerpt as a stream of bytes, which depend only on the run, the selection and the version of the
// compression. [Read] verifies such a stream, which may be forged, and writes its run into a store, in which the other
// records count as pruned. An excerpt has no annotations, costs or sessions of the run.
//
// FORMAT.md, Excerpts, has the bytes.
package excerpt

import (
	"context"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Options configures how [Read] verifies an excerpt.
type Options struct {
	Validate   func(tracker.Run) error              // refuses a run, for example for its spec; may be nil
	CheckShape func(tracker.Run) tracker.ShapeCheck // as in merge.Options
}

// Contents describes an excerpt that was read.
type Contents struct {
	Run        tracker.Run
	Note       []byte
	Iterations []schema.Iteration
	Records    int   // with their bytes
	Bytes      int64 // of Records
	Others     int   // records with only their digests
}

// Head returns the last link.
func (c Contents) Head() schema.Digest { return c.Iterations[len(c.Iterations)-1].Link }

// Read reads an excerpt, and writes its run into an existing store that does not have it. It verifies the spec,
// every link, and the digest, kind and shape of each record. An invalid excerpt causes [tracker.ErrDamaged] or
// the error of Validate.
func Read(ctx context.Context, r io.Reader, to *tracker.Store, o Options) (Contents, error) {
	items, err := newItemReader(ctx, r)
	if err != nil {
		return Contents{}, err
	}
	defer items.close()
	e := &reader{items: items, to: to, listed: map[schema.Digest]bool{}}
	if err = e.readRun(o); err == nil {
		err = e.readIterations()
	}
	if err == nil {
		err = e.readRecords(ctx)
	}
	if err == nil {
		err = items.end()
	}
	if err == nil {
		err = e.writeRun(ctx)
	}
	return e.Contents, err
}

type reader struct {
	Contents
	items      *itemReader
	to         *tracker.Store
	checkShape tracker.ShapeCheck // nil for none
	count      int                // number of iterations

	kept     [][]int // by iteration: positions of records whose bytes follow
	expected []expected
	listed   map[schema.Digest]bool // the names in expected
	lines    int                    // iterations and records listed so far
	memory   memory.Meter
}

// lineBytes is the memory kept for an iteration, or for a record that it lists.
const lineBytes = 256

// An expected is a record whose bytes follow, with the iteration that lists it first.
type expected struct {
	schema.Entry
	k int
}

func (r *reader) readRun(o Options) (err error) {
	var h header
	if err := r.items.unmarshal(&h); err != nil {
		return err
	}
	if h.Version != version || h.Iterations < 1 || h.Iterations > tracker.MaxIterations {
		return fmt.Errorf("an excerpt of version %d with %d iterations: %w", h.Version, h.Iterations, tracker.ErrDamaged)
	}
	r.Note, r.count = h.Note, h.Iterations
	r.Run = tracker.Run{Spec: h.Spec, Start: h.Start, Ancestors: h.Ancestors}
	if r.Run.ID, err = schema.RunID(h.Spec, h.Start); err == nil && o.Validate != nil {
		err = o.Validate(r.Run)
	}
	if err == nil {
		err = r.Run.Validate(r.count)
	}
	if err == nil && o.CheckShape != nil {
		r.checkShape = o.CheckShape(r.Run)
	}
	return err
}

func (r *reader) readIterations() error {
	var before schema.Digest
	for k := range r.count {
		var item iterationItem
		if err := r.items.unmarshal(&item); err != nil {
			return err
		}
		if err := r.countLines(1 + len(item.Records)); err != nil {
			return err
		}
		link, err := r.Run.Link(k, before, item.Records)
		if err != nil {
			return err
		}
		last := -1
		for _, i := range item.Kept {
			if i <= last || i >= len(item.Records) {
				return fmt.Errorf("iteration %d: the list of its records: %w", k, tracker.ErrDamaged)
			}
			last = i
			if entry := item.Records[i]; !r.listed[entry.Name] {
				r.listed[entry.Name] = true
				r.expected = append(r.expected, expected{entry, k})
			}
		}
		r.kept = append(r.kept, item.Kept)
		r.Iterations, before = append(r.Iterations, schema.Iteration{Records: item.Records, Link: link}), link
	}
	return nil
}

// countLines returns an error if an excerpt cannot list n more lines.
func (r *reader) countLines(n int) error {
	if r.lines += n; r.lines > MaxListed {
		return fmt.Errorf("%w: %w", errListsTooMuch, tracker.ErrDamaged)
	}
	return r.memory.Take(int64(n) * lineBytes)
}

// readRecords reads the records and writes them into the store in several transactions.
func (r *reader) readRecords(ctx context.Context) error {
	packer, err := r.to.Codec()
	if err != nil {
		return err
	}
	writes := tracker.NewTxQueue(r.to)
	for _, want := range r.expected {
		record, err := r.readRecord(want)
		if err != nil {
			return err
		}
		stored, err := packer.Pack(record)
		if err == nil {
			err = writes.Add(ctx, int64(len(stored))+tracker.RowCost, func(tx *tracker.Tx) error {
				return tx.Rows().AppendRecord(want.Name, stored)
			})
		}
		if err != nil {
			return err
		}
	}
	return writes.Flush(ctx)
}

// recordCopies is the number of copies of a record in memory: the record itself, packed, and in the pages of a
// transaction.
const recordCopies = 3

// readRecord reads the next record and verifies that it is the expected one.
func (r *reader) readRecord(want expected) ([]byte, error) {
	record, err := r.items.next(recordCopies)
	if err != nil {
		return nil, err
	}
	if schema.Name(record) != want.Name {
		return nil, fmt.Errorf("record %s: its digest does not match: %w", want.Name, tracker.ErrDamaged)
	}
	kind, err := schema.ReadKind(record)
	if err != nil || kind != want.Kind {
		return nil, fmt.Errorf("record %s is not of kind %s: %w", want.Name, want.Kind, tracker.ErrDamaged)
	}
	if r.checkShape != nil {
		shape, err := schema.ReadShape(record)
		if err == nil {
			err = r.checkShape(want.k, want.Kind, shape)
		}
		if err != nil {
			return nil, fmt.Errorf("record %s: %w: %w", want.Name, err, tracker.ErrDamaged)
		}
	}
	r.Records++
	r.Bytes += int64(len(record))
	return record, nil
}

// writeRun marks the records that the excerpt lacks as pruned, and writes the run. The run's own row comes
// last, so that other processes see only the whole run.
func (r *reader) writeRun(ctx context.Context) error {
	err := r.to.View(ctx, func(tx *tracker.Tx) error {
		if tx.Rows().HasRun(r.Run.ID) {
			return fmt.Errorf("run %s: %w: the store has it", r.Run.ID, tracker.ErrInvalid)
		}
		return nil
	})
	if err == nil {
		err = tracker.UpdateEach(ctx, r.to, r.others(), func(tx *tracker.Tx, name schema.Digest) error {
			_, err := tx.Rows().PutTombstone(name)
			return err
		})
	}
	k := -1
	if err == nil {
		err = tracker.UpdateEach(ctx, r.to, r.Iterations, func(tx *tracker.Tx, it schema.Iteration) error {
			k++
			return tx.PutIteration(r.Run.ID, k, it, tracker.Cost{})
		})
	}
	if err == nil {
		err = r.to.Update(ctx, func(tx *tracker.Tx) (err error) {
			r.Run, err = tx.InsertRun(r.Run, tracker.Annotation{})
			return err
		})
	}
	return err
}

// others returns the records that are listed without their bytes, in the order of the index.
func (r *reader) others() (names []schema.Digest) {
	for _, it := range r.Iterations {
		for _, entry := range it.Records {
			if !r.listed[entry.Name] {
				r.listed[entry.Name], names = true, append(names, entry.Name)
			}
		}
	}
	r.Others = len(names)
	rows.SortNames(names)
	return names
}
