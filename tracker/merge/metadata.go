package merge

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A runMetadata has a store's rows of a run other than its iterations.
type runMetadata struct {
	tracker.Annotation
	tags     []tracker.TagRow
	sessions []tracker.Session  // except a running one
	keep     *tracker.Retention // nil keeps everything
	size     int64              // of all rows in bytes
}

// readMetadata reads the metadata of a run of another store. It must be valid and fit into a transaction.
func readMetadata(t *tracker.Tx, id schema.Digest) (s runMetadata, err error) {
	s.size = rows.RowBytes
	for _, bucket := range []string{rows.BucketRuns, rows.BucketAnnotations} {
		s.size += int64(len(t.Rows().Bucket(bucket).Get(id[:])))
	}
	for _, bucket := range []string{rows.BucketTags, rows.BucketSessions} {
		for key, row := range t.Rows().WithPrefix(bucket, id[:]) {
			s.size += int64(len(key) + len(row))
		}
	}
	if s.size >= rows.MaxMetadata {
		return s, storeerr.Damaged("run %.7s with at least %d bytes of rows other than its iterations", id,
			int64(rows.MaxMetadata))
	}
	if s.Annotation, err = t.ReadAnnotation(id); err != nil {
		return s, err
	}
	if s.keep, err = t.ReadRetention(id); err != nil {
		return s, err
	}
	if s.tags, err = t.ReadTagRows(id); err != nil {
		return s, err
	}
	if s.sessions, err = readEndedSessions(t, id); err != nil {
		return s, err
	}
	return s, s.validate()
}

// readEndedSessions returns the sessions that have ended. A running one is copied later, after its end.
func readEndedSessions(t *tracker.Tx, id schema.Digest) ([]tracker.Session, error) {
	all, err := t.ReadSessions(id)
	return slices.DeleteFunc(all, func(s tracker.Session) bool { return s.State == tracker.SessionRunning }), err
}

func (r runMetadata) validate() error {
	if r.Name != "" {
		if err := tracker.ValidateName(r.Name); err != nil {
			return err
		}
	}
	for _, t := range r.tags {
		if err := tracker.ValidateTag(t.Tag); err != nil {
			return err
		}
	}
	if r.Target < 0 || r.Target > tracker.MaxIterations {
		return fmt.Errorf("a target of %d iterations: %w", r.Target, tracker.ErrInvalid)
	}
	return nil
}
