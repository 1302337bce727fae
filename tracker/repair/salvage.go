package repair

import (
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// salvageFile copies everything valid from a file, which must not be written to, and makes the new store
// consistent.
func (s *salvager) salvageFile(file *os.File) error {
	if err := s.readTree(file); err != nil {
		return err
	}
	s.torn = s.torn || len(s.report.Pages) > 0 || s.lacksRuns() || s.lacksRecords()
	if s.torn || len(s.damagedBuckets) > 0 || len(s.report.Rows) > 0 {
		if err := s.scanPages(file); err != nil {
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

// readTree copies everything that the tree leads to.
func (s *salvager) readTree(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f, err := pages.Open(file, info.Size())
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
	_, err = f.Traverse(pages.TraverseOptions{
		Visit:    s.takeRow,
		OnDamage: func(bucket string, d *pages.Damage) error { s.noteDamage(bucket, d); return s.ctx.Err() },
	})
	if err == nil {
		err = s.writes.Flush(s.ctx)
	}
	return err
}
