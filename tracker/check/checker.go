package check

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
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

type recordLocation struct {
	seq  uint64
	name schema.Digest
}

type checker struct {
	Options
	store  *tracker.Store
	report Report

	ids          []schema.Digest // runs to check
	lastSequence uint64          // sequence of the newest record when the check began
	kinds        map[schema.Digest]schema.Kind
	names        []schema.Digest                // the keys of kinds, sorted
	places       []recordLocation               // sorted by sequence
	rawBytes     int64                          // bytes of the records in places, unpacked
	sampling     bool                           // places is a sample of the places examined before
	bad          map[schema.Digest]error        // why a record is damaged; it is checked again before it is reported
	shapes       map[schema.Digest]schema.Shape // of the verified records, if CheckShape is set
	reported     map[string]bool                // texts of damaged pages
	verifier     *verify.Verifier
	onlyFinds    bool // see [FindUnavailable]
}

// catchDamage calls look, and returns the damage that look found, or any other error.
func (c *checker) catchDamage(look func() error) (damage, err error) {
	err = c.store.RecoverDamage(look)
	if err == nil || !errors.Is(err, tracker.ErrDamaged) && !errors.Is(err, tracker.ErrMissing) &&
		!errors.Is(err, schema.ErrSpec) {
		return nil, err
	}
	return err, nil
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

// suspect calls look, and marks a record as damaged if look finds damage. It returns any other error.
func (c *checker) suspect(name schema.Digest, look func() error) error {
	damage, err := c.catchDamage(look)
	if damage != nil {
		c.addBad(name, damage)
	}
	return err
}

// addBad marks a record as damaged. The first reason counts.
func (c *checker) addBad(name schema.Digest, why error) { c.bad[name] = cmp.Or(c.bad[name], why) }

// checkIterations verifies the chain of links. After damage it continues from the recorded link.
func (r *runCheck) checkIterations() error {
	k, link := 0, schema.Digest{}
	for key, row := range r.tx.Rows().WithPrefix(rows.BucketIterations, r.id[:]) {
		at, ok := rows.PartNumber(key)
		if ok && k < at {
			why := "it is missing"
			if k+1 < at {
				why = fmt.Sprintf("iterations up to %d are missing", at-1)
			}
			r.reportDamage(rows.BucketIterations, new(k), why)
			k, link = at, schema.Digest{}
		}
		var it schema.Iteration
		why, err := r.catchDamage(func() (err error) {
			if !ok {
				return rows.DamagedError(rows.BucketIterations, key)
			}
			if it, err = rows.DecodeIteration(key, row); err != nil || r.run == nil || k > 0 && link.IsZero() {
				return err
			}
			return r.run.VerifyLink(k, link, it)
		})
		if err != nil {
			return err
		}
		if why != nil {
			r.reportDamage(rows.BucketIterations, new(k), damageText(why))
		}
		r.noteRecords(new(k), it.Records)
		k, link = k+1, it.Link
		r.report.Iterations++
	}
	r.done = k
	return r.tx.Rows().CheckMisplaced(rows.BucketIterations, r.id[:])
}

// noteRecords adds the entries to the records that must exist.
func (r *runCheck) noteRecords(k *int, entries []schema.Entry) {
	for _, e := range entries {
		kind, noted := r.kinds[e.Name]
		if noted && kind != e.Kind {
			r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name,
				Why: fmt.Sprintf("elsewhere it is listed as kind %s", kind)})
		}
		if !noted {
			r.kinds[e.Name] = e.Kind
		}
	}
}

func (r *runCheck) checkCheckpoint() error {
	c, err := r.tx.ReadCheckpoint(r.id)
	if err == nil && c != nil {
		r.noteRecords(nil, c.Records)
	}
	return err
}
