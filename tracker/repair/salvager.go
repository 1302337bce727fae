package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Report says what a repair found in a file.
type Report struct {
	Pages   []string  `json:"pages"`   // damage of the file's structure
	Rows    []LostRow `json:"rows"`    // rows that are lost and cannot be computed again
	Gaps    []Gap     `json:"gaps"`    // iterations to be computed again
	Records int       `json:"records"` // number of valid records
	Bytes   int64     `json:"bytes"`   // bytes of the valid records as stored
}

// A LostRow is a row that is damaged, or useless because it needs a lost row.
type LostRow struct {
	Bucket string         `json:"bucket"`
	Run    *schema.Digest `json:"run"` // nil if the row has no run, or an unknown one
	What   string         `json:"what"`

	key []byte // nil if there was no row
}

// A Gap is a missing iteration of a run and the rows after it, which the new store lacks.
type Gap struct {
	Run   schema.Digest            `json:"run"`
	K     int                      `json:"k"`
	Made  int                      `json:"made"` // number of iterations before the damage
	Known map[int]schema.Iteration `json:"-"`    // those after K

	checkpoint []byte // value of the checkpoint's row, nil for none
}

// A salvager copies the valid contents of a damaged file to a new store. It verifies the checksum of every row
// and the digest of every record. If the tree is damaged, it also copies rows and records that no page leads
// to, provided that they cannot have changed since they were written.
type salvager struct {
	to             *tracker.Store
	ctx            context.Context  // of the repair
	writes         *tracker.TxQueue // of the new store
	report         *Report
	damagedBuckets map[string]bool // buckets with damaged pages; "" means all
	torn           bool            // the tree may lead to pages of several commits, as in a copy made while others wrote
	olderBuckets   map[string]bool // buckets with rows that may be of an older state
	orderSequence  uint64          // sequence of bucket order in the tree
	runs           int             // number of runs in the new store
	lastNumber     uint64          // the largest of their numbers

	knownRuns    map[schema.Digest]bool   // of rows of the tree; true if the run's own is there
	namesByPlace map[uint64]schema.Digest // names of records by place, as far as the tree has them

	referenced map[schema.Digest]bool // records that rows name
	tombstones map[schema.Digest]bool // records that are pruned according to the index
	indexed    int                    // number of named records at their indexed places
}

// newSalvager returns a salvager that adds what it finds to report.
func newSalvager(ctx context.Context, to *tracker.Store, report *Report) *salvager {
	*report = Report{Pages: []string{}, Rows: []LostRow{}, Gaps: []Gap{}}
	return &salvager{
		to: to, ctx: ctx, writes: tracker.NewTxQueue(to), report: report,
		damagedBuckets: map[string]bool{}, olderBuckets: map[string]bool{},
		knownRuns: map[schema.Digest]bool{}, namesByPlace: map[uint64]schema.Digest{},
		referenced: map[schema.Digest]bool{}, tombstones: map[schema.Digest]bool{},
	}
}

// lacksRuns reports whether the tree has rows of a run whose own row it lacks.
func (s *salvager) lacksRuns() bool {
	return slices.Contains(slices.Collect(maps.Values(s.knownRuns)), false)
}

// lacksRecords reports whether the index has lost records that rows name, after the tree was read.
func (s *salvager) lacksRecords() bool {
	named := 0
	for name := range s.referenced {
		if !s.tombstones[name] {
			named++
		}
	}
	return s.indexed < named
}

func (s *salvager) addLost(bucket string, key []byte, why error) {
	lost := LostRow{Bucket: bucket, What: why.Error(), key: bytes.Clone(key)}
	if slices.Contains(rows.RunBuckets, bucket) && len(key) >= len(schema.Digest{}) {
		id := schema.Digest(key[:len(schema.Digest{})])
		lost.Run = &id
	}
	s.report.Rows = append(s.report.Rows, lost)
}

// noteDamage records damage of pages. Damage without a bucket is in the freelist, which is rebuilt, or prevents
// buckets from being opened.
func (s *salvager) noteDamage(bucket string, d *pages.Damage) {
	if bucket != "" {
		s.damagedBuckets[bucket] = true
		s.report.Pages = append(s.report.Pages, fmt.Sprintf("bucket %s: %v", bucket, d))
		return
	}
	s.report.Pages = append(s.report.Pages, d.Error())
}

// salvageFile copies everything valid from a file, which must not be written to, and makes the new store consistent.
func (s *salvager) salvageFile(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := s.readTree(file, info.Size()); err != nil {
		return err
	}
	s.torn = s.torn || len(s.report.Pages) > 0 || s.lacksRuns() || s.lacksRecords()
	if s.torn || len(s.damagedBuckets) > 0 || len(s.report.Rows) > 0 {
		if err := s.scanPages(file, info.Size()); err != nil {
			return err
		}
	}
	if err := s.reconcile(); err != nil {
		return err
	}
	if s.damagedBuckets[""] && s.runs == 0 {
		return fmt.Errorf("%w: it contains nothing from podtrack", tracker.ErrNotStore)
	}
	return nil
}

func (s *salvager) readTree(file *os.File, size int64) error {
	f, err := pages.Open(file, size)
	var d *pages.Damage
	switch {
	case errors.As(err, &d):
		s.damagedBuckets[""] = true
		s.noteDamage("", d)
		return nil
	case errors.Is(err, pages.ErrNoMetaPage):
		s.damagedBuckets[""] = true
		s.report.Pages = append(s.report.Pages, "both meta pages are destroyed")
		return nil
	case err != nil:
		return err
	}
	if f.HasLostCommit() {
		s.report.Pages = append(s.report.Pages, "a later commit may be lost: its meta page is damaged")
	}
	if b, err := f.OpenBucket(rows.BucketPodtrack); err == nil && b == nil {
		s.damagedBuckets[""] = true // as in a copy that was made while the store was written
		s.report.Pages = append(s.report.Pages, "the tree leads to nothing of podtrack")
		return nil
	}
	for _, name := range rows.Buckets {
		b, err := f.OpenBucket(name)
		if err != nil || b == nil {
			s.damagedBuckets[name] = true
		} else if name == rows.BucketOrder {
			s.orderSequence = b.Sequence
		}
	}
	err = f.Traverse(pages.TraverseOptions{
		Visit:    s.takeRow,
		OnDamage: func(bucket string, d *pages.Damage) error { s.noteDamage(bucket, d); return s.ctx.Err() },
	})
	if err == nil {
		err = s.writes.Flush(s.ctx)
	}
	return err
}
