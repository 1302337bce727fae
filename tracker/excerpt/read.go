package excerpt

import (
	"context"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// Options says how [Read] verifies what it reads.
type Options struct {
	Validate   func(tracker.Run) error              // refuses a run, whose spec may be invalid, by an error; may be nil
	CheckShape func(tracker.Run) tracker.ShapeCheck // as in merge.Options
}

// Contents describes an excerpt that was read.
type Contents struct {
	Run        tracker.Run
	Note       []byte
	Iterations []schema.Iteration
	Records    int   // with their bytes
	Bytes      int64 // of these
	Others     int   // records of which the excerpt has only the digests
}

// Head returns the last link.
func (c Contents) Head() schema.Digest { return c.Iterations[len(c.Iterations)-1].Link }

// Read reads an excerpt, and writes its run into a store that exists and does not have it. It
// verifies the spec, every link, and the digest, kind and shape of each record. What is wrong is a
// [tracker.ErrDamaged] or an error of Validate.
func Read(ctx context.Context, r io.Reader, to *tracker.Store, o Options) (Contents, error) {
	items, err := newItemReader(r)
	if err != nil {
		return Contents{}, err
	}
	defer items.close()
	e := &reader{items: items, to: to, listed: map[schema.Digest]bool{}}
	if err := e.readRun(o); err != nil {
		return Contents{}, err
	}
	if err := e.readIterations(); err != nil {
		return Contents{}, err
	}
	if o.CheckShape != nil {
		e.checkShape = o.CheckShape(e.Run)
	}
	if err := e.readRecords(ctx); err != nil {
		return Contents{}, err
	}
	if err := items.end(); err != nil {
		return Contents{}, err
	}
	err = e.to.Update(ctx, e.writeRun)
	return e.Contents, err
}

// reader is the state of [Read].
type reader struct {
	Contents
	items      *itemReader
	to         *tracker.Store
	checkShape tracker.ShapeCheck // nil for none
	count      int                // of iterations

	kept     [][]int // by iteration: positions of records whose bytes follow
	expected []expected
	listed   map[schema.Digest]bool // the names in expected
}

// expected is a record whose bytes follow, with the place where it is listed first.
type expected struct {
	schema.Entry
	k int
}

func (e *reader) readRun(o Options) (err error) {
	var h header
	if err := e.items.unmarshal(&h); err != nil {
		return err
	}
	if h.Version != version || h.Iterations < 1 || h.Iterations > tracker.MaxIterations {
		return fmt.Errorf("an excerpt of version %d with %d iterations: %w", h.Version, h.Iterations, tracker.ErrDamaged)
	}
	e.Note, e.count = h.Note, h.Iterations
	e.Run = tracker.Run{Spec: h.Spec, Start: h.Start, Ancestors: h.Ancestors}
	if e.Run.ID, err = schema.RunID(h.Spec, h.Start); err == nil && o.Validate != nil {
		err = o.Validate(e.Run)
	}
	if err == nil {
		err = e.Run.Validate(e.count)
	}
	return err
}

func (e *reader) readIterations() error {
	var before schema.Digest
	for k := range e.count {
		var item iterationItem
		if err := e.items.unmarshal(&item); err != nil {
			return err
		}
		it, err := e.link(k, before, item.Records)
		if err != nil {
			return err
		}
		last := -1
		for _, i := range item.Kept {
			if i <= last || i >= len(item.Records) {
				return fmt.Errorf("iteration %d: the list of its records: %w", k, tracker.ErrDamaged)
			}
			last = i
			if entry := item.Records[i]; !e.listed[entry.Name] {
				e.listed[entry.Name] = true
				e.expected = append(e.expected, expected{entry, k})
			}
		}
		e.kept = append(e.kept, item.Kept)
		e.Iterations, before = append(e.Iterations, it), it.Link
	}
	return nil
}

// link computes the link of an iteration.
func (e *reader) link(k int, before schema.Digest, entries []schema.Entry) (it schema.Iteration, err error) {
	previous, err := e.Run.PreviousLink(k, before)
	if err != nil {
		return it, err
	}
	it.Records = entries
	it.Link, err = schema.Link(k, previous, entries)
	return it, err
}

// readRecords reads the records and writes them into the store, some at a time.
func (e *reader) readRecords(ctx context.Context) error {
	packer, err := e.to.Codec()
	if err != nil {
		return err
	}
	var batch [][]byte
	var names []schema.Digest
	size := 0
	for i, want := range e.expected {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := e.readRecord(want)
		if err != nil {
			return err
		}
		stored, err := packer.Pack(record)
		if err != nil {
			return err
		}
		batch, names, size = append(batch, stored), append(names, want.Name), size+len(stored)
		if size < rows.BatchBytes && i < len(e.expected)-1 {
			continue
		}
		if err := e.to.Update(ctx, func(tx *tracker.Tx) error { return putRecords(tx, names, batch) }); err != nil {
			return err
		}
		batch, names, size = nil, nil, 0
	}
	return nil
}

func putRecords(tx *tracker.Tx, names []schema.Digest, stored [][]byte) error {
	for i, name := range names {
		if err := tx.Rows().AppendRecord(name, stored[i]); err != nil {
			return err
		}
	}
	return nil
}

// readRecord reads the next record and verifies that it is the expected one.
func (e *reader) readRecord(want expected) ([]byte, error) {
	record, err := e.items.next()
	if err != nil {
		return nil, err
	}
	if schema.Name(record) != want.Name {
		return nil, fmt.Errorf("record %s: its digest does not match: %w", want.Name, tracker.ErrDamaged)
	}
	kind, err := schema.ReadKind(record)
	if err != nil || kind != want.Kind {
		return nil, fmt.Errorf("record %s is no %s record: %w", want.Name, want.Kind, tracker.ErrDamaged)
	}
	if e.checkShape != nil {
		shape, err := schema.ReadShape(record)
		if err == nil {
			err = e.checkShape(want.k, want.Kind, shape)
		}
		if err != nil {
			return nil, fmt.Errorf("record %s: %w: %w", want.Name, err, tracker.ErrDamaged)
		}
	}
	e.Records++
	e.Bytes += int64(len(record))
	return record, nil
}

// writeRun writes the run, and marks the records that the excerpt lacks as pruned.
func (e *reader) writeRun(tx *tracker.Tx) error {
	if tx.Rows().HasRun(e.Run.ID) {
		return fmt.Errorf("run %s: %w: the store has it", e.Run.ID, tracker.ErrInvalid)
	}
	for _, it := range e.Iterations {
		for _, entry := range it.Records {
			if e.listed[entry.Name] {
				continue
			}
			e.listed[entry.Name] = true
			e.Others++
			if _, err := tx.Rows().PutTombstone(entry.Name); err != nil {
				return err
			}
		}
	}
	run, err := tx.InsertRun(e.Run, tracker.Annotation{})
	if err != nil {
		return err
	}
	e.Run = run
	for k, it := range e.Iterations {
		if err := tx.Rows().PutIteration(run.ID, k, it); err != nil {
			return err
		}
		if err := rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(run.ID, k), tracker.Cost{}); err != nil {
			return err
		}
	}
	return nil
}
