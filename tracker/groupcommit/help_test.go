package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

var ok = schematest.Must

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// raw changes the file through bbolt.
func raw(t testing.TB, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	ok(t, err)
	ok(t, db.Update(fn))
	ok(t, db.Close())
}

// What package storetest has for tests. It imports this package, so a file of package tracker_test sets these.
var (
	NewStore              func(testing.TB) (*tracker.Store, Clock)
	NewStoreWithRun       func(t testing.TB, record string) (*tracker.Store, Clock, schema.Digest)
	SecondStore           func(*tracker.Store) *tracker.Store
	NewClock              func() Clock
	Spec                  func(seed uint64) schema.Spec
	RunID                 func(t testing.TB, seed uint64) schema.Digest
	Entries               func(names ...schema.Digest) []schema.Entry
	CloseAtEnd            func(testing.TB, *Writer) *Writer
	Acquire               func(t testing.TB, w *Writer, seed uint64, target int) (*RunWriter, RunState)
	Iterate               func(t testing.TB, r *RunWriter, k int, record string) schema.Digest
	RandomBytes           func(n int, seed uint64) []byte
	SkipUnlessReplaceable func(testing.TB)
	LinkOf                func(id schema.Digest, k int) schema.Digest
	SessionsOf            func(testing.TB, *tracker.Store, schema.Digest) string

	UnreferencedRecords func(testing.TB, *tracker.Store) int
)

// A Clock is a time that only tests advance.
type Clock interface {
	Now() time.Time
	Advance(time.Duration)
}

// SealAllKinds seals iteration k with a record of each prunable kind, and its measures. Their texts
// begin with the kind.
func SealAllKinds(t testing.TB, r *RunWriter, k int, text string) (entries []schema.Entry) {
	t.Helper()
	for _, kind := range []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption,
		schema.KindMeasures} {
		name, err := r.Put(fmt.Appendf(nil, "%s %s", kind, text))
		ok(t, err)
		entries = append(entries, schema.Entry{Kind: kind, Name: name})
	}
	ok(t, r.SealIteration(k, schema.Iteration{Link: LinkOf(r.ID(), k), Records: entries}, tracker.Cost{}))
	return entries
}

// DrawRecords draws the run: a word for each iteration, with a letter for each existing record and
// a dot for each pruned one.
func DrawRecords(t testing.TB, s *tracker.Store, id schema.Digest) string {
	t.Helper()
	var words []string
	ok(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		ok(t, err)
		for _, it := range its {
			word := ""
			for _, e := range it.Records {
				record, err := tx.ReadRecord(e.Name)
				switch {
				case err == nil && strings.HasPrefix(string(record), string(e.Kind)):
					word += string(e.Kind[0])
				case errors.Is(err, tracker.ErrPruned) && !errors.Is(err, tracker.ErrDamaged) &&
					!errors.Is(err, tracker.ErrMissing) && tx.Rows().IsPruned(e.Name):
					word += "."
				default:
					t.Errorf("record %q: %v", record, err)
				}
			}
			words = append(words, word)
		}
		return nil
	}))
	return strings.Join(words, " ")
}
