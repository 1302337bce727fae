package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
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

// readMetadata reads the metadata of a run of another store. It must fit into a transaction, and be valid: names and
// tags are as they are read.
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
	s.sessions, err = t.ReadSessions(id)
	s.sessions = slices.DeleteFunc(s.sessions, func(s tracker.Session) bool {
		return s.State == tracker.SessionRunning // it is copied later, after its end
	})
	if err == nil && (s.Target < 0 || s.Target > tracker.MaxIterations) {
		err = fmt.Errorf("a target of %d iterations: %w", s.Target, tracker.ErrInvalid)
	}
	return s, err
}

// A mergedMetadata is the result of merging another store's metadata of a run into this store's, with the parts
// that are new.
type mergedMetadata struct {
	tracker.Annotation
	changed  bool // the annotation differs from ours
	tags     []tracker.TagRow
	sessions []tracker.SessionRow // new ones, and later states of known ones
	dropped  Dropped
}

// mergeMetadata merges another store's metadata into this store's. Names and notes have no times,
// so ours are kept, and theirs fill in missing ones. The higher target wins. The failure of the
// last attempt is taken from the store with more iterations.
func mergeMetadata(t *tracker.Tx, id schema.Digest, theirs runMetadata, longer bool) (u mergedMetadata, err error) {
	ours, err := t.ReadAnnotation(id)
	if err != nil {
		return u, err
	}
	u.Annotation = tracker.Annotation{
		Name: ours.Name, Note: cmp.Or(ours.Note, theirs.Note), Created: cmp.Or(ours.Created, theirs.Created),
		Target: max(ours.Target, theirs.Target), Failure: ours.Failure,
		Open: ours.Open && theirs.Open,
	}
	if longer || ours.Created == 0 { // this store lacks the run
		u.Failure, u.Open = theirs.Failure, theirs.Open
	}
	u.dropped = Dropped{TheirName: otherThan(ours.Name, theirs.Name), TheirNote: otherThan(ours.Note, theirs.Note)}
	if u.Name == "" && theirs.Name != "" {
		holder, ok, err := t.Rows().ReadRef(rows.BucketNames, []byte(theirs.Name))
		switch {
		case err != nil:
			return u, err
		case ok && holder != id:
			u.dropped.NameTaken = theirs.Name
		default:
			u.Name = theirs.Name
		}
	}
	u.changed = u.Annotation != ours
	return u, mergeRows(t, id, theirs, &u)
}

// otherThan returns theirs if ours takes precedence and differs, else "".
func otherThan(ours, theirs string) string {
	if ours == "" || ours == theirs {
		return ""
	}
	return theirs
}

// mergeRows finds the tags and sessions that this store lacks.
func mergeRows(t *tracker.Tx, id schema.Digest, theirs runMetadata, u *mergedMetadata) error {
	for _, tag := range theirs.tags {
		if t.Rows().Bucket(rows.BucketTags).Get(rows.TagKey(id, tag.Tag)) == nil {
			u.tags = append(u.tags, tag)
		}
	}
	ours, err := t.ReadSessionRows(id)
	if err != nil {
		return err
	}
	known, next := map[string]tracker.SessionRow{}, 0
	for _, row := range ours {
		known[keyOf(row.Session)], next = row, row.Number+1
	}
	for _, s := range theirs.sessions {
		row, isKnown := known[keyOf(s)]
		switch {
		case !isKnown:
			row.Number, next = next, next+1
		case !supersedes(s, row.Session):
			continue
		}
		row.Session = s
		known[keyOf(s)] = row
		u.sessions = append(u.sessions, row)
	}
	return nil
}

// keyOf identifies a session of a run. It does not change while the session runs.
func keyOf(s tracker.Session) string {
	return fmt.Sprintf("%d %d %d %s", s.Started, s.PID, s.From, s.Host)
}

// supersedes reports whether s is a later state of the session before.
func supersedes(s, before tracker.Session) bool {
	if !before.IsOpen() && before.State != tracker.SessionVanished {
		return false
	}
	return s.State != tracker.SessionVanished || s.Saved > before.Saved
}

func putMetadata(t *tracker.Tx, id schema.Digest, u mergedMetadata) error {
	if u.changed {
		err := t.PutAnnotation(id, u.Annotation)
		if err == nil && u.Name != "" {
			err = t.Rows().PutRef(rows.BucketNames, []byte(u.Name), id)
		}
		if err != nil {
			return err
		}
	}
	for _, tag := range u.tags {
		if err := rows.Write(t.Rows(), rows.BucketTags, rows.TagKey(id, tag.Tag),
			rows.Tag{Added: tag.Added}); err != nil {
			return err
		}
	}
	for _, row := range u.sessions {
		if err := t.PutSession(id, row.Number, row.Session); err != nil {
			return err
		}
	}
	return nil
}

// A StudyReport is the result of [CopyStudies].
type StudyReport struct {
	Added   int      `json:"studies"`         // studies that are new in the target
	Refused []string `json:"refused_studies"` // reasons for which studies were not copied
}

// CopyStudies copies the studies of the source for whose names wanted returns true, or all if wanted is nil, to another
// store. A study that cannot be read, or whose name another one has there, is reported; the others are copied.
func CopyStudies(
	ctx context.Context, from, to *tracker.Store, wanted func(name string) bool,
) (r StudyReport, err error) {
	names, err := tracker.Read(from.Within(ctx), func(tx *tracker.Tx) ([]string, error) { return tx.StudyNames(), nil })
	for _, name := range names {
		if err != nil || wanted != nil && !wanted(name) {
			continue
		}
		added := false
		added, err = copyStudy(ctx, from, to, name)
		switch {
		case errors.Is(err, tracker.ErrDamaged), errors.Is(err, tracker.ErrMissing), errors.Is(err, tracker.ErrStudyTaken):
			r.Refused, err = append(r.Refused, err.Error()), nil
		case added:
			r.Added++
		}
	}
	return r, err
}

func copyStudy(ctx context.Context, from, to *tracker.Store, name string) (added bool, err error) {
	p, err := tracker.Read(from.Within(ctx), func(tx *tracker.Tx) (*runset.Plan, error) {
		p, _, err := tx.ReadStudy(name)
		return p, err
	})
	if err == nil {
		err = to.Update(ctx, func(tx *tracker.Tx) (err error) {
			added, err = tx.MergeStudy(p)
			return err
		})
	}
	return added && err == nil, err
}
