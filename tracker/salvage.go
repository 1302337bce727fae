package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// RepairReport is what was found in a file.
type RepairReport struct {
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

	Evaluation *Evaluation `json:"-"` // an evaluation, of which only the outcome is gone, nil otherwise

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
	out  RepairReport
	tree map[string]bool // buckets of which pages are damaged; "" is all of them
	aged map[string]bool // buckets of which rows may be of an older state
	runs int             // in the new store
	lost bool            // a later commit may be
	last uint64          // largest number of a run that the tree leads to
	next uint64          // the sequence of runs, by the tree

	known map[schema.Digest]bool   // runs that the tree has rows of
	index map[uint64]schema.Digest // names of records by their places, as far as the tree says them

	names map[schema.Digest]use  // records that rows name
	tombs map[schema.Digest]bool // of which the index says that they were pruned

	puts []func(*Tx) error
	size int64
}

func newSalvager(ctx context.Context, to *Store) *salvager {
	return &salvager{
		ctx: ctx, to: to, out: RepairReport{Pages: []string{}, Rows: []LostRow{}, Gaps: []Gap{}},
		known: map[schema.Digest]bool{}, index: map[uint64]schema.Digest{}, tree: map[string]bool{}, aged: map[string]bool{}, names: map[schema.Digest]use{}, tombs: map[schema.Digest]bool{},
	}
}

func salvage(ctx context.Context, file *os.File, to *Store) (RepairReport, error) {
	info, err := file.Stat()
	if err != nil {
		return RepairReport{}, err
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
	case errors.Is(err, pages.ErrNoMetaPage):
		s.tree[""] = true
		s.out.Pages = append(s.out.Pages, "both meta pages are destroyed")
		return nil
	case err != nil:
		return err
	}
	if s.lost = f.HasLostCommit(); s.lost {
		s.out.Pages = append(s.out.Pages, "a later commit may be lost: its meta page is damaged")
	}
	if b, err := f.OpenBucket(bucketPodtrack); err == nil && b == nil {
		return fmt.Errorf("%w: a bbolt file of another program", ErrNotStore)
	}
	for _, name := range buckets {
		b, err := f.OpenBucket(name)
		if err != nil || b == nil {
			s.tree[name] = true
		} else if name == bucketOrder {
			s.next = b.Sequence
		}
	}
	_, err = f.Traverse(pages.TraverseOptions{
		Visit:    s.row,
		OnDamage: func(bucket string, d *pages.Damage) error { s.damage(bucket, d); return s.ctx.Err() },
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
