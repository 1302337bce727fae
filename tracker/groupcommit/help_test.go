package groupcommit

import (
	"context"
	"errors"
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
	NewStore                func(testing.TB) (*tracker.Store, Clock)
	NewStoreWithRun         func(t testing.TB, record string) (*tracker.Store, Clock, schema.Digest)
	NewStoreOfManyRuns      func(t testing.TB, path string, n, pairs int) *tracker.Store
	SecondStore             func(*tracker.Store) *tracker.Store
	NewClock                func() Clock
	Spec, TinySpec          func(seed uint64) schema.Spec
	RunID                   func(t testing.TB, seed uint64) schema.Digest
	Entries                 func(names ...schema.Digest) []schema.Entry
	CloseAtEnd              func(testing.TB, *Writer) *Writer
	Acquire, Begin          func(t testing.TB, w *Writer, seed uint64, target int) (*RunWriter, RunState)
	Iterate                 func(t testing.TB, r *RunWriter, k int, record string) schema.Digest
	Chain                   func(testing.TB, *RunWriter, int, schema.Digest, schema.Kind, ...[]byte) schema.Digest
	Extend                  func(t testing.TB, s *tracker.Store, seed uint64, n int) schema.Digest
	Unpacked                func(raw []byte) []byte
	RandomBytes             func(n int, seed uint64) []byte
	ReadFile                func(t testing.TB, path string) []byte
	ListFiles               func(testing.TB, *tracker.Store) []string
	Content                 func(testing.TB, *tracker.Store) map[string]string
	SkipUnlessReplaceable   func(testing.TB)
	LinkOf                  func(id schema.Digest, k int) schema.Digest
	SealAllKinds            func(t testing.TB, r *RunWriter, k int, text string) []schema.Entry
	NewStoreWithCompleteRun func(t testing.TB, n int) (*tracker.Store, Clock, schema.Digest)
	DrawRecords             func(testing.TB, *tracker.Store, schema.Digest) string
	SessionsOf              func(testing.TB, *tracker.Store, schema.Digest) string

	UnreferencedRecords func(testing.TB, *tracker.Store) int

	MergeStores func(ctx context.Context, from, to *tracker.Store) error // copies all runs, by package merge
)

// A Clock is a time that only tests advance.
type Clock interface {
	Now() time.Time
	Advance(time.Duration)
}
