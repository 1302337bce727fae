package tracker

import (
	"context"
	"errors"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// CheckOptions selects what [Check] reads.
type CheckOptions struct {
	Runs       []schema.Digest               // nil stands for all, and for what is of no run
	Read       func(name schema.Digest) bool // the records that are read; nil stands for those of a sample
	Size       int64                         // of the sample, in bytes of records, unpacked: about; 0 for no sample
	CheckShape func(Run) ShapeCheck          // see [CopyOptions]; what it refuses is damage
	Progress   func(done, total int)         // is told how many records were looked at; may be nil
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
		kinds: map[schema.Digest]schema.Kind{}, bad: map[schema.Digest]string{}, shapes: map[schema.Digest]schema.Shape{}, reported: map[string]bool{}, verifier: newVerifier(),
	}
	steps := []func(context.Context) error{c.checkRuns, c.locateRecords, c.checkRecords, c.reportDamagedRecords, c.checkShapes}
	if o.Runs == nil {
		steps = []func(context.Context) error{c.checkStructure, c.checkRecordPages, c.checkRuns, c.checkOrphans, c.locateRecords, c.checkRecords, c.reportDamagedRecords, c.checkShapes}
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

	ids          []schema.Digest // of the runs checked
	lastSequence uint64          // sequence of the newest record when the check began
	kinds        map[schema.Digest]schema.Kind
	names        []schema.Digest  // those that rows name, in order
	places       []recordLocation // by sequence
	rawBytes     int64            // bytes of the records in them, unpacked
	sampling     bool             // they were looked at before, and are a part
	bad          map[schema.Digest]string
	shapes       map[schema.Digest]schema.Shape // of the records that were read, where somebody judges them
	reported     map[string]bool                // what is wrong with pages
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
