package tracker

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// runMetadata is what a store has of a run besides its iterations.
type runMetadata struct {
	Annotation
	tags     []tagEntry
	sessions []Session // without a running one
	proofs   []proofLevels
	keep     *Retention // nil means everything
	size     int64      // of all rows in bytes
}

type tagEntry struct {
	tag   string
	added int64
}

// readMetadata reads the metadata of a run of another store. It must fit into a transaction and be
// valid.
func (t *Tx) readMetadata(id schema.Digest) (s runMetadata, err error) {
	s.size = rowSize + int64(len(t.buckets[bucketRuns].Get(id[:]))+len(t.buckets[bucketAnnotations].Get(id[:])))
	for _, bucket := range []string{bucketTags, bucketSessions, bucketProofs} {
		for key, row := range t.rowsWithPrefix(bucket, id[:]) {
			s.size += int64(len(key) + len(row))
		}
	}
	if s.size >= maxStaged {
		return s, damagedError("run %.7s, with %d bytes or more of rows beside its iterations", id, int64(maxStaged))
	}
	if s.Annotation, err = t.ReadAnnotation(id); err != nil {
		return s, err
	}
	if s.keep, err = t.ReadRetention(id); err != nil {
		return s, err
	}
	if s.tags, err = t.readTagEntries(id); err != nil {
		return s, err
	}
	if s.sessions, err = t.readEndedSessions(id); err != nil {
		return s, err
	}
	if s.proofs, err = t.readProofs(id); err != nil {
		return s, err
	}
	return s, s.validate()
}

func (t *Tx) readTagEntries(id schema.Digest) (tags []tagEntry, err error) {
	for key, row := range t.rowsWithPrefix(bucketTags, id[:]) {
		added, err := decodeTag(key, row)
		if err != nil {
			return tags, err
		}
		tags = append(tags, tagEntry{string(key[len(id):]), added.Added})
	}
	return tags, t.checkMisplaced(bucketTags, id[:])
}

// readEndedSessions returns the sessions that have ended. A running one is copied later, when it
// has.
func (t *Tx) readEndedSessions(id schema.Digest) ([]Session, error) {
	all, err := t.ReadSessions(id)
	return slices.DeleteFunc(all, func(s Session) bool { return s.State == SessionRunning }), err
}

func (s runMetadata) validate() error {
	if s.Name != "" {
		if err := ValidateName(s.Name); err != nil {
			return err
		}
	}
	for _, t := range s.tags {
		if err := ValidateTag(t.tag); err != nil {
			return err
		}
	}
	if s.Target < 0 || s.Target > MaxIterations {
		return fmt.Errorf("a target of %d iterations: %w", s.Target, ErrInvalid)
	}
	return nil
}
