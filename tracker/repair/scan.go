package repair

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// scanPages copies from all pages what the tree does not lead to: rows first, since they name the records that
// are needed.
func (s *salvager) scanPages(file *os.File, size int64) error {
	pageSize, err := pages.GuessPageSize(file, size)
	switch {
	case errors.Is(err, pages.ErrNoMetaPage):
		return fmt.Errorf("%w: %w", tracker.ErrNotStore, err)
	case err != nil:
		return err
	}
	if err := pages.Scan(file, size, pageSize, s.takeOrphan); err != nil {
		return err
	}
	if err := s.writes.Flush(s.ctx); err != nil {
		return err
	}
	err = pages.Scan(file, size, pageSize, func(e pages.Element) error {
		if len(e.Key) != 8 || e.Value.Len() < 2 {
			return s.ctx.Err()
		}
		return s.takeRecord(e)
	})
	if err == nil {
		err = s.writes.Flush(s.ctx)
	}
	return err
}

// takeOrphan copies a row that the new store lacks, if rows of its bucket may be lost. Of a torn file, which has pages
// of later commits, it also copies rows that never change, and those of runs that the tree does not know. The row can
// be of an older state: of several states of a row, the first one found is copied, and the report says so.
func (s *salvager) takeOrphan(e pages.Element) error {
	for _, bucket := range candidateBuckets(e.Key, e.Value.Len()) {
		isLater := s.torn && (slices.Contains(immutableBuckets, bucket) || !s.isOfKnownRun(bucket, e.Key))
		if !isLater && !s.mayLackRows(bucket) {
			continue
		}
		row, value, damage, err := readRow(bucket, e)
		switch {
		case err != nil:
			return err
		case damage == nil:
			return s.queueRow(bucket, e.Key, row, value, true)
		}
	}
	return s.ctx.Err()
}

// isOfKnownRun reports whether rows of the tree are of the run of a key, or refer to it, or the key is of no run.
func (s *salvager) isOfKnownRun(bucket string, key []byte) bool {
	if !slices.Contains(rows.RunBuckets, bucket) {
		return true
	}
	_, known := s.knownRuns[schema.Digest(key[:len(schema.Digest{})])]
	return known
}

// noteOrphan reports a run that was found outside of the tree, and once for a bucket that its rows may be older ones.
func (s *salvager) noteOrphan(bucket string, key []byte) {
	if bucket == rows.BucketRuns {
		s.report.Pages = append(s.report.Pages,
			fmt.Sprintf("run %.6x was found outside of the tree: remove it again if it was removed", key))
	}
	if !slices.Contains(immutableBuckets, bucket) && !s.olderBuckets[bucket] {
		s.olderBuckets[bucket] = true
		s.report.Pages = append(s.report.Pages,
			fmt.Sprintf("bucket %s: some rows were found outside of the tree, and may be older ones", bucket))
	}
}

// mayLackRows reports whether rows of the bucket may be missing: its pages or one of its rows are damaged.
func (s *salvager) mayLackRows(bucket string) bool {
	return s.damagedBuckets[""] || s.damagedBuckets[bucket] || slices.ContainsFunc(s.report.Rows, func(r LostRow) bool {
		return r.Bucket == bucket
	})
}

// immutableBuckets lists the buckets whose rows are never rewritten.
var immutableBuckets = []string{rows.BucketRuns, rows.BucketIterations, rows.BucketCosts}

// candidateBuckets returns the buckets to which an element can belong, by the form of its key and its size.
// Checkpoints are excluded: an old one would continue from an old state.
func candidateBuckets(key []byte, size int64) []string {
	const ofID = len(schema.Digest{})
	switch {
	case size > rows.MaxListRow:
		return nil
	case tracker.IsStudyKey(key):
		return []string{rows.BucketPodtrack}
	case len(key) == ofID:
		return []string{rows.BucketRuns, rows.BucketAnnotations, rows.BucketKeeps}
	case len(key) == ofID+4:
		return []string{rows.BucketIterations, rows.BucketCosts, rows.BucketSessions, rows.BucketTags}
	case len(key) > ofID:
		return []string{rows.BucketTags}
	}
	return nil
}
