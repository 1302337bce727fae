package tracker

import (
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

var ok = schematest.Must

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// What package storetest has for tests. It imports this package, so a file of package tracker_test sets these.
var (
	NewStoreWithRun func(t testing.TB, record string) (*Store, Clock, schema.Digest)
	SecondStore     func(*Store) *Store
	Spec            func(seed uint64) schema.Spec
	Unpacked        func(raw []byte) []byte
	ReadFile        func(t testing.TB, path string) []byte
)

// A Clock is a time that only tests advance.
type Clock interface {
	Now() time.Time
	Advance(time.Duration)
}
