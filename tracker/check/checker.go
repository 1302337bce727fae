package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/verify"
)

// Options selects what [Run] reads.
type Options struct {
	Runs       []schema.Digest                      // nil means all runs and also the rest of the store
	Read       func(name schema.Digest) bool        // selects the records to read; nil means a random sample
	Size       int64                                // approximate size of the sample, unpacked, in bytes; 0 for none
	CheckShape func(tracker.Run) tracker.ShapeCheck // a mismatch is damage; may be nil, and so may its result
	Progress   func(done, total int)                // called with the records examined; may be nil
	Visit      func(run tracker.Run, done int)      // called with each sound spec and its iterations; may be nil
}

// A recordLocation is the place of a record in the index.
type recordLocation struct {
	seq  uint64
	name schema.Digest
}

// A checker is the state of a running check.
type checker struct {
	Options
	store  *tracker.Store
	report Report

	ids          []schema.Digest // runs to check
	lastSequence uint64          // sequence of the newest record when the check began
	kinds        map[schema.Digest]schema.Kind
	names        []schema.Digest  // the keys of kinds, sorted
	places       []recordLocation // sorted by sequence
	rawBytes     int64            // bytes of the records in places, unpacked
	sampling     bool             // places is a sample of the places examined before
	bad          map[schema.Digest]string
	shapes       map[schema.Digest]schema.Shape // of the verified records, if CheckShape is set
	reported     map[string]bool                // texts of damaged pages
	verifier     *verify.Verifier
	skipsLarge   bool // records that do not fit into memory
}

// catchDamage calls look, and returns a description of the damage that look found, or any other error.
func (c *checker) catchDamage(look func() error) (what string, err error) {
	err = c.store.RecoverDamage(look)
	if err == nil || !errors.Is(err, tracker.ErrDamaged) && !errors.Is(err, tracker.ErrMissing) &&
		!errors.Is(err, schema.ErrSpec) {
		return "", err
	}
	return damageText(err), nil
}

// damageText returns the text of an error without the suffix ": damaged".
func damageText(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+tracker.ErrDamaged.Error())
}

func (c *checker) addDamage(d Damage) {
	if len(c.report.Damaged) == maxDamages {
		c.report.More++
		return
	}
	c.report.Damaged = append(c.report.Damaged, d)
}

// suspect marks a record as damaged. It is checked again before it is reported.
func (c *checker) suspect(name schema.Digest, format string, args ...any) {
	if c.bad[name] == "" {
		c.bad[name] = fmt.Sprintf(format, args...)
	}
}
