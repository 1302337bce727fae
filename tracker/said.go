package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// said is what a store says of a run beside its iterations.
type said struct {
	Annotation
	tags     []tagged
	sessions []Session
	keep     *Keep // nil for everything
	size     int64 // of all that, in rows
}

type tagged struct {
	tag   string
	added int64
}

// said reads what another store says. It must fit into a transaction, and be
// something that podtrack says.
func (t *Tx) said(id schema.Digest) (s said, err error) {
	s.size = rowSize + int64(len(t.buckets[bucketRuns].Get(id[:]))+len(t.buckets[bucketAnnotations].Get(id[:])))
	for _, bucket := range []string{bucketTags, bucketSessions} {
		for key, row := range t.within(bucket, id[:]) {
			s.size += int64(len(key) + len(row))
		}
	}
	if s.size >= maxStaged {
		return s, damaged("run %.7s, with %d bytes or more of rows beside its iterations", id, int64(maxStaged))
	}
	if s.Annotation, err = t.Annotation(id); err != nil {
		return s, err
	}
	if s.keep, err = t.Keep(id); err != nil {
		return s, err
	}
	if s.tags, err = t.tagged(id); err != nil {
		return s, err
	}
	if s.sessions, err = t.Sessions(id); err != nil {
		return s, err
	}
	return s, s.check()
}

func (t *Tx) tagged(id schema.Digest) (tags []tagged, err error) {
	for key, row := range t.within(bucketTags, id[:]) {
		added, err := decodeTag(key, row)
		if err != nil {
			return tags, err
		}
		tags = append(tags, tagged{string(key[len(id):]), added.Added})
	}
	return tags, t.notStray(bucketTags, id[:])
}

func (s said) check() error {
	if s.Name != "" {
		if err := ValidName(s.Name); err != nil {
			return err
		}
	}
	for _, t := range s.tags {
		if err := ValidTag(t.tag); err != nil {
			return err
		}
	}
	if s.Target < 0 || s.Target > MaxIterations {
		return fmt.Errorf("a target of %d iterations: %w", s.Target, ErrInvalid)
	}
	return nil
}
