// Package storetest has what tests of packages above tracker share: stores with runs, and damage to them.
package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Clock is a time that only tests advance.
type Clock struct{ passed atomic.Int64 }

// Now returns the time.
func (c *Clock) Now() time.Time { return time.Unix(1_000_000_000, c.passed.Load()) }

// Advance advances the time.
func (c *Clock) Advance(d time.Duration) { c.passed.Add(int64(d)) }

// NewStore makes an empty store whose clock stands still, so that its writers commit only what a test asks for.
func NewStore(t testing.TB) (*tracker.Store, *Clock) {
	t.Helper()
	c := new(Clock)
	s := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{Now: c.Now})
	OK(t, s.Create(t.Context()))
	return s, c
}

// SecondStore returns another Store of the same file with the same clock.
func SecondStore(s *tracker.Store) *tracker.Store { return tracker.New(s.Path(), s.Options()) }

// OK ends the test if there is an error.
var OK = schematest.Must

// WantErr ends the test unless the error is the wanted one.
func WantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// Equal ends the test unless the values are equal.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// Spec returns the spec of a run on the ring of 12 bits.
func Spec(seed uint64) schema.Spec {
	return schema.Spec{
		Numerics: schema.NumericsVersion, Env: schema.Env{Name: "ring", Version: 1,
			Params: map[string]int64{"bits": 12}}, Seed: seed, Steps: 1000,
		Kappa: 1, Gamma: 0.99, Sweeps: 100, Tolerance: 1e-9,
		Basis: schema.RightSingular, Dataset: schema.PerIteration, Select: schema.Threshold, Learner: schema.Sweeps,
	}
}

// RunID returns the ID of the run of [Spec].
func RunID(t testing.TB, seed uint64) schema.Digest {
	t.Helper()
	id, err := schema.RunID(Spec(seed), nil)
	OK(t, err)
	return id
}

// Entries returns the entries of value tables.
func Entries(names ...schema.Digest) []schema.Entry {
	list := []schema.Entry{}
	for _, n := range names {
		list = append(list, schema.Entry{Kind: schema.KindValue, Name: n})
	}
	return list
}

// CloseAtEnd closes a writer at the end of the test.
func CloseAtEnd(t testing.TB, w *groupcommit.Writer) *groupcommit.Writer {
	t.Helper()
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

// Acquire takes the run of [Spec], with a session.
func Acquire(
	t testing.TB, w *groupcommit.Writer, seed uint64, target int,
) (*groupcommit.RunWriter, groupcommit.RunState) {
	t.Helper()
	r, st, err := w.Acquire(t.Context(),
		tracker.Claim{Spec: Spec(seed), Target: target, Session: &tracker.Session{Modules: map[string]string{}}})
	OK(t, err)
	return r, st
}

// Iterate puts one record and seals the iteration that lists it.
func Iterate(t testing.TB, r *groupcommit.RunWriter, k int, record string) schema.Digest {
	t.Helper()
	name, err := r.Put([]byte(record))
	OK(t, err)
	OK(t, r.SealIteration(k, schema.Iteration{Link: schema.Name([]byte(fmt.Sprint(k, record))), Records: Entries(name)},
		tracker.Cost{Stages: map[string]int64{"learn": int64(k)}}))
	return name
}

// NewStoreWithRun makes a store with one run of one iteration, which is not leased and has no session.
func NewStoreWithRun(t testing.TB, record string) (*tracker.Store, *Clock, schema.Digest) {
	t.Helper()
	s, c := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 1})
	OK(t, err)
	name := Iterate(t, r, 0, record)
	OK(t, w.Close(t.Context()))
	return s, c, name
}

// ReadFile returns the bytes of a file.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	OK(t, err)
	return b
}

// RandomBytes returns incompressible bytes.
func RandomBytes(n int, seed uint64) []byte {
	b := make([]byte, 0, n+32)
	for x := schema.Name(rows.NumberKey(seed)); len(b) < n; x = schema.Name(x[:]) {
		b = append(b, x[:]...)
	}
	return b[:n]
}

// Unpacked returns the stored form of an incompressible record.
func Unpacked(raw []byte) []byte {
	return append(binary.AppendUvarint([]byte{codec.Raw}, uint64(len(raw))), raw...)
}

// ListFiles returns the names in the store's folder.
func ListFiles(t testing.TB, s *tracker.Store) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(s.Path()))
	OK(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// UnreferencedRecords returns the number of records that no row names.
func UnreferencedRecords(t testing.TB, s *tracker.Store) (n int) {
	t.Helper()
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		named := map[schema.Digest]bool{}
		for row, err := range tx.NamingRows(nil, nil) {
			OK(t, err)
			for _, e := range row.Records {
				named[e.Name] = true
			}
		}
		for key, place := range tx.Rows().WithPrefix(rows.BucketDigests, nil) {
			if !named[schema.Digest(key)] && !rows.IsTombstone(place) {
				n++
			}
		}
		return nil
	}))
	return n
}

// LinkOf returns a link for an iteration of a run in which links prove nothing.
func LinkOf(id schema.Digest, k int) schema.Digest { return schema.Name(rows.PartKey(id, k)) }

// SkipUnlessReplaceable skips the test where a store's file cannot be replaced.
func SkipUnlessReplaceable(t testing.TB) {
	t.Helper()
	if !filelock.TakesLock {
		t.Skip("compaction needs a lock that tells who waits that the file was replaced")
	}
}
