package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// clock is a time that only tests advance.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_000_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newTestStore makes an empty store whose clock stands still, so that its writers commit only what
// a test asks for.
func newTestStore(t testing.TB) (*Store, *clock) {
	t.Helper()
	s := New(filepath.Join(t.TempDir(), "podtrack.db"), Options{})
	c := newClock()
	s.now = c.Now
	ok(t, s.Create(t.Context()))
	return s, c
}

// secondStore returns another Store of the same file with the same clock.
func secondStore(s *Store) *Store {
	other := New(s.path, s.opts)
	other.now = s.now
	return other
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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

func spec(seed uint64) schema.Spec {
	return schema.Spec{
		Numerics: schema.NumericsVersion, Env: schema.Env{Name: "ring", Version: 1,
			Params: map[string]int64{"bits": 12}}, Seed: seed, Steps: 1000,
		Kappa: 1, Gamma: 0.99, Sweeps: 100, Tolerance: 1e-9,
		Basis: schema.RightSingular, Dataset: schema.PerIteration, Select: schema.Threshold, Learner: schema.Sweeps,
	}
}

func runID(t testing.TB, seed uint64) schema.Digest {
	t.Helper()
	id, err := schema.RunID(spec(seed), nil)
	ok(t, err)
	return id
}

func entries(names ...schema.Digest) []schema.Entry {
	list := []schema.Entry{}
	for _, n := range names {
		list = append(list, schema.Entry{Kind: schema.KindValue, Name: n})
	}
	return list
}

// closeAtEnd closes a writer at the end of the test.
func closeAtEnd(t testing.TB, w *Writer) *Writer {
	t.Helper()
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

func acquire(t testing.TB, w *Writer, seed uint64, target int) (*RunWriter, RunState) {
	t.Helper()
	r, st, err := w.Acquire(t.Context(), Claim{Spec: spec(seed), Target: target})
	ok(t, err)
	return r, st
}

// iterate puts one record and seals the iteration that lists it.
func iterate(t testing.TB, r *RunWriter, k int, record string) schema.Digest {
	t.Helper()
	name, err := r.Put([]byte(record))
	ok(t, err)
	ok(t, r.SealIteration(k, schema.Iteration{Link: schema.Name([]byte(fmt.Sprint(k, record))), Records: entries(name)},
		Cost{Stages: map[string]int64{"learn": int64(k)}}))
	return name
}

// newStoreWithRun makes a store with one run of one iteration, which is not leased.
func newStoreWithRun(t testing.TB, record string) (*Store, *clock, schema.Digest) {
	t.Helper()
	s, c := newTestStore(t)
	w := s.StartWriter(t.Context())
	r, _ := acquire(t, w, 1, 1)
	name := iterate(t, r, 0, record)
	ok(t, w.Close(t.Context()))
	return s, c, name
}

// raw changes the file through bbolt.
func raw(t testing.TB, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	ok(t, err)
	ok(t, db.Update(fn))
	ok(t, db.Close())
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	ok(t, err)
	return b
}

// unreferencedRecords returns the records that no row names.
func unreferencedRecords(t testing.TB, s *Store) (n int) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		uses := map[schema.Digest]recordUse{}
		for key, place := range tx.rows.WithPrefix(rows.BucketDigests, nil) {
			if !rows.IsTombstone(place) {
				uses[schema.Digest(key)] = unreferenced
			}
		}
		ok(t, (&references{tx: tx}).classify(uses))
		for _, use := range uses {
			if use == unreferenced {
				n++
			}
		}
		return nil
	}))
	return n
}

// MergeStores copies all runs. A file of package tracker_test sets it, since package merge imports
// this one.
var MergeStores func(ctx context.Context, from, to *Store) error
