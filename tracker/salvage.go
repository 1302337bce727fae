package tracker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// Salvaged is what was found in a file.
type Salvaged struct {
	Pages   []string  `json:"pages"`   // what is wrong with the file's structure
	Rows    []LostRow `json:"rows"`    // what is gone and cannot be computed again
	Gaps    []Gap     `json:"gaps"`    // iterations to be made again
	Records int       `json:"records"` // that were sound
	Bytes   int64     `json:"bytes"`   // of those, as stored
}

// LostRow is a row that is not what was written, or that says nothing without
// another which is gone.
type LostRow struct {
	Bucket string         `json:"bucket"`
	Run    *schema.Digest `json:"run"` // nil where the row is of no run, or nobody knows of which
	What   string         `json:"what"`

	key []byte // nil where there never was a row
}

// Gap is an iteration whose row is gone, and the rows after it, which are left
// out of the new store.
type Gap struct {
	Run   schema.Digest         `json:"run"`
	K     int                   `json:"k"`
	Made  int                   `json:"made"` // iterations that there were
	Links map[int]schema.Digest `json:"-"`    // of those after it that are known

	rows map[int]schema.Iteration // of the same
}

// salvager copies what is sound in a damaged file into a new store. Every row is
// held to its checksum, every record to being well-formed: its digest is its
// name. What no page leads to any more counts where the tree is damaged, for
// what cannot have changed since it was written.
type salvager struct {
	ctx  context.Context
	to   *Store
	out  Salvaged
	tree map[string]bool // buckets of which pages are damaged; "" is all of them
	aged map[string]bool // buckets of which rows may be of an older state
	runs int             // in the new store
	lost bool            // a later commit may be
	last uint64          // largest number of a run that the tree leads to

	known map[schema.Digest]bool   // runs that the tree has rows of
	index map[uint64]schema.Digest // names of records by their places, as far as the tree says them

	names map[schema.Digest]use  // records that rows name
	tombs map[schema.Digest]bool // of which the index says that they were pruned

	puts []func(*Tx) error
	size int64
}

func newSalvager(ctx context.Context, to *Store) *salvager {
	return &salvager{
		ctx: ctx, to: to, out: Salvaged{Pages: []string{}, Rows: []LostRow{}, Gaps: []Gap{}},
		known: map[schema.Digest]bool{}, index: map[uint64]schema.Digest{}, tree: map[string]bool{}, aged: map[string]bool{}, names: map[schema.Digest]use{}, tombs: map[schema.Digest]bool{},
	}
}

func salvage(ctx context.Context, file *os.File, to *Store) (Salvaged, error) {
	info, err := file.Stat()
	if err != nil {
		return Salvaged{}, err
	}
	s := newSalvager(ctx, to)
	if err := s.walk(file, info.Size()); err != nil {
		return s.out, err
	}
	if len(s.tree) > 0 || len(s.out.Rows) > 0 || s.lost {
		if err := s.scan(file, info.Size()); err != nil {
			return s.out, err
		}
	}
	if err := s.mend(); err != nil {
		return s.out, err
	}
	if s.tree[""] && s.runs == 0 {
		return s.out, fmt.Errorf("%w: nothing in it is podtrack's", ErrNotStore)
	}
	return s.out, nil
}

// walk takes what the tree leads to.
func (s *salvager) walk(file *os.File, size int64) error {
	f, err := pages.Open(file, size)
	var d *pages.Damage
	switch {
	case errors.As(err, &d):
		s.tree[""] = true
		s.damage("", d)
		return nil
	case errors.Is(err, pages.ErrForeign):
		s.tree[""] = true
		s.out.Pages = append(s.out.Pages, "both meta pages are destroyed")
		return nil
	case err != nil:
		return err
	}
	if s.lost = f.LostCommit(); s.lost {
		s.out.Pages = append(s.out.Pages, "a later commit may be lost: its meta page is damaged")
	}
	if b, err := f.Bucket(bucketPodtrack); err == nil && b == nil {
		return fmt.Errorf("%w: a bbolt file of another program", ErrNotStore)
	}
	for _, name := range buckets {
		if b, err := f.Bucket(name); err != nil || b == nil {
			s.tree[name] = true
		}
	}
	_, err = f.Walk(pages.Walk{
		Visit: s.row,
		Found: func(bucket string, d *pages.Damage) error { s.damage(bucket, d); return s.ctx.Err() },
	})
	if err != nil {
		return err
	}
	return s.flush()
}

// damage notes what is wrong with pages. Damage of no bucket is of the list of free
// pages, which is made anew, or keeps buckets from being opened.
func (s *salvager) damage(bucket string, d *pages.Damage) {
	if bucket != "" {
		s.tree[bucket] = true
		s.out.Pages = append(s.out.Pages, fmt.Sprintf("bucket %s: %v", bucket, d))
		return
	}
	s.out.Pages = append(s.out.Pages, d.Error())
}

// put writes in transactions of bounded size.
func (s *salvager) put(size int, f func(*Tx) error) error {
	s.puts, s.size = append(s.puts, f), s.size+int64(size)+rowSize
	if s.size < maxStaged {
		return nil
	}
	return s.flush()
}

func (s *salvager) flush() error {
	puts := s.puts
	s.puts, s.size = nil, 0
	if len(puts) == 0 {
		return s.ctx.Err()
	}
	return s.to.Update(s.ctx, func(tx *Tx) error {
		for _, f := range puts {
			if err := f(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// row takes an element of the tree.
func (s *salvager) row(e pages.Element) error {
	switch e.Bucket {
	case bucketPodtrack, bucketOrder, bucketNames:
		return nil // made anew
	case bucketDigests:
		return s.place(e)
	case bucketRecords:
		return s.indexed(e)
	}
	if e.Value.Len() > maxRow {
		s.lose(e.Bucket, e.Key, damagedRow(e.Bucket, e.Key))
		return nil
	}
	value, err := e.Value.Bytes()
	if err != nil {
		return err
	}
	checked, err := verify(e.Bucket, e.Key, value)
	if err == nil {
		err = soundRow(e.Bucket, e.Key, checked)
	}
	if err != nil {
		s.lose(e.Bucket, e.Key, err)
		return nil
	}
	s.meet(e.Bucket, e.Key, checked)
	s.mark(e.Bucket, e.Key, checked)
	return s.putRow(e.Bucket, e.Key, checked)
}

// maxRow bounds what is read as a row.
const maxRow = 64 << 20

// meet notes which runs there are.
func (s *salvager) meet(bucket string, key, value []byte) {
	if len(key) >= len(schema.Digest{}) {
		s.known[schema.Digest(key[:len(schema.Digest{})])] = true
	}
	if bucket == bucketRuns {
		if row, err := decodeRow[runRow](bucket, key, value); err == nil {
			s.last = max(s.last, row.Number)
		}
	}
}

// mark notes the records that a row names. Rows come before records, by the order
// of the buckets' names.
func (s *salvager) mark(bucket string, key, value []byte) {
	switch bucket {
	case bucketIterations:
		if list, err := decodeRow[[]schema.Entry](bucket, key, value[min(len(value), len(schema.Digest{})):]); err == nil {
			mark(s.names, list)
		}
	case bucketCheckpoints:
		if c, err := decodeRow[Checkpoint](bucket, key, value); err == nil {
			mark(s.names, c.Records)
		}
	}
}

func (s *salvager) putRow(bucket string, key, value []byte) error {
	key, value = bytes.Clone(key), bytes.Clone(value)
	return s.put(len(key)+len(value), func(tx *Tx) error { return tx.putRaw(bucket, key, value) })
}

// putRaw writes a verified row of any bucket that this program knows.
func (t *Tx) putRaw(bucket string, key, value []byte) error {
	if bucket == bucketKeeps {
		if err := t.allowPruning(); err != nil {
			return err
		}
	}
	if t.buckets[bucket] == nil {
		return nil
	}
	return t.put(bucket, key, value)
}

// place notes where a record is, or that it was pruned. The index itself is made
// anew.
func (s *salvager) place(e pages.Element) error {
	if len(e.Key) != len(schema.Digest{}) || e.Value.Len() > 8 {
		return nil
	}
	place, err := e.Value.Bytes()
	switch {
	case err != nil:
		return err
	case isTombstone(place):
		s.tombs[schema.Digest(e.Key)] = true
	case len(place) == 8:
		s.index[binary.BigEndian.Uint64(place)] = schema.Digest(e.Key)
	}
	return nil
}

// indexed takes a record of the tree, but for one that the index gives a name
// which no row names.
func (s *salvager) indexed(e pages.Element) error {
	if len(e.Key) == 8 {
		name, there := s.index[binary.BigEndian.Uint64(e.Key)]
		if _, named := s.names[name]; there && !named {
			return nil
		}
	}
	return s.record(e)
}

func (s *salvager) lose(bucket string, key []byte, why error) {
	lost := LostRow{Bucket: bucket, What: why.Error(), key: bytes.Clone(key)}
	if len(key) >= len(schema.Digest{}) && bucket != bucketNames {
		id := schema.Digest(key[:len(schema.Digest{})])
		lost.Run = &id
	}
	s.out.Rows = append(s.out.Rows, lost)
}

// record takes a stored record if a row names what it holds. What damage has made
// of one may be well-formed too.
func (s *salvager) record(e pages.Element) error {
	stored, err := e.Value.Bytes()
	if err != nil {
		return err
	}
	c, err := s.to.codec()
	if err != nil {
		return err
	}
	raw, err := c.unpack(stored)
	if err != nil {
		return nil // the rows say whether anybody misses it
	}
	name := schema.Name(raw)
	if _, named := s.names[name]; !named || s.tombs[name] {
		return nil
	}
	stored = bytes.Clone(stored)
	return s.put(len(stored), func(tx *Tx) error {
		if tx.Has(name) {
			return nil
		}
		s.out.Records++
		s.out.Bytes += int64(len(stored))
		return tx.append(name, stored)
	})
}
