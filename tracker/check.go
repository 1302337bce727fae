package tracker

import (
	"context"
	"errors"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// CheckOptions selects what [Check] reads.
type CheckOptions struct {
	Runs       []schema.Digest               // nil means all runs and also the rest of the store
	Read       func(name schema.Digest) bool // selects the records to read; nil means a sample
	Size       int64                         // approximate size of the sample in bytes of unpacked records; 0 for none
	CheckShape func(Run) ShapeCheck          // see [CopyOptions]; a mismatch is damage
	Progress   func(done, total int)         // called with the records examined; may be nil
}

// Check reads a store and reports what is damaged. It changes nothing.
//
// One transaction checks the structure of everything but the records. The rest is checked in short
// transactions, between which others can write. Their changes are not reported as damage: one
// transaction sees all of a run, and damaged records are checked a second time.
//
// An error means that the store cannot be opened or read.
func Check(ctx context.Context, s *Store, o CheckOptions) (CheckReport, error) {
	c := &checker{
		store: s, CheckOptions: o, report: CheckReport{Damaged: []Damage{}, Others: []OtherNumericsRun{}},
		kinds: map[schema.Digest]schema.Kind{}, bad: map[schema.Digest]string{},
		shapes: map[schema.Digest]schema.Shape{}, reported: map[string]bool{}, verifier: newVerifier(),
	}
	steps := []func(context.Context) error{
		c.checkRuns, c.locateRecords, c.checkRecords, c.reportDamagedRecords, c.checkShapes,
	}
	if o.Runs == nil {
		steps = []func(context.Context) error{
			c.checkStructure, c.checkRecordPages, c.checkRuns, c.checkOrphans,
			c.locateRecords, c.checkRecords, c.reportDamagedRecords, c.checkShapes,
		}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}

// checker is the state of a running check.
type checker struct {
	CheckOptions
	store  *Store
	report CheckReport

	ids          []schema.Digest // runs to check
	lastSequence uint64          // sequence of the newest record when the check began
	kinds        map[schema.Digest]schema.Kind
	names        []schema.Digest  // the keys of kinds, sorted
	places       []recordLocation // sorted by sequence
	rawBytes     int64            // bytes of the records in places, unpacked
	sampling     bool             // places is a sample of those examined before
	bad          map[schema.Digest]string
	shapes       map[schema.Digest]schema.Shape // of the verified records, if CheckShape is set
	reported     map[string]bool                // texts of damaged pages
	verifier     *verifier
}

// eachInShortTxs calls look for 0 … n−1 in short transactions.
func (c *checker) eachInShortTxs(ctx context.Context, n func() int, look func(*Tx, int) error) error {
	i := -1
	return c.store.runInShortTxs(ctx, func(tx *Tx) (bool, error) {
		if i++; i >= n() {
			return false, nil
		}
		return true, look(tx, i)
	})
}

// catchDamage calls look, and returns a description of the damage that it found, or any other
// error.
func (c *checker) catchDamage(look func() error) (what string, err error) {
	err = c.store.recoverDamage(look)
	if err == nil || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrMissing) && !errors.Is(err, schema.ErrSpec) {
		return "", err
	}
	return damageText(err), nil
}

// damageText returns the text of an error without the suffix that something is damaged.
func damageText(err error) string { return strings.TrimSuffix(err.Error(), ": "+ErrDamaged.Error()) }
