package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/rows"
)

// exchanges are what puts a new file in the place of a store's. Each calls meanwhile, if that is not nil,
// when the copy is being made.
var exchanges = map[string]func(s *Store, held func(error), meanwhile func()) error{
	"compaction": func(s *Store, held func(error), meanwhile func()) error {
		_, err := Compact(context.Background(), s, CompactOptions{Held: held, Progress: func(int64, int64) {
			if meanwhile != nil {
				meanwhile()
				meanwhile = nil
			}
		}})
		return err
	},
	"repair": func(s *Store, held func(error), meanwhile func()) error {
		r, err := BeginRepair(context.Background(), s, held)
		if err != nil {
			return err
		}
		defer r.Close()
		if meanwhile != nil {
			meanwhile()
		}
		_, err = r.Replace(context.Background())
		return err
	},
}

func testExchanges(
	t *testing.T, test func(t *testing.T, exchange func(s *Store, held func(error), meanwhile func()) error),
) {
	skipUnlessReplaceable(t)
	for name, exchange := range exchanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, exchange)
		})
	}
}

// TestExchangeRefusesRunsAtWork: a store keeps its file while a living process works on a run, which is
// named; whoever waits for it goes on when it is done.
func TestExchangeRefusesRunsAtWork(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*Store, func(error), func()) error) {
		s, _, _ := NewStoreWithRun(t, "record")
		w := CloseAtEnd(t, StartWriter(t.Context(), SecondStore(s)))
		r, _ := Acquire(t, w, 2, 3)
		Iterate(t, r, 0, "saved")
		ok(t, w.Flush(t.Context()))
		before := ReadFile(t, s.path)
		var held *HeldError
		if err := exchange(s, nil, nil); !errors.As(err, &held) || held.Run != RunID(t, 2) {
			t.Errorf("error %v, want one about run %s", err, RunID(t, 2))
		}
		equal(t, "the file", cmp.Equal(before, ReadFile(t, s.path)), true)
		equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
		told := 0
		ok(t, exchange(s, func(err error) {
			told++
			wantErr(t, err, ErrLocked)
			name, err := r.Put([]byte("open"))
			ok(t, err)
			ok(t, r.SealCheckpoint([]byte("state"), Entries(name)))
			ok(t, w.Close(t.Context()))
		}, nil))
		equal(t, "times told", told, 1)
		ok(t, s.View(t.Context(), func(tx *Tx) error {
			c, err := tx.ReadCheckpoint(RunID(t, 2))
			ok(t, err)
			equal(t, "state", string(c.State), "state")
			_, err = tx.ReadRecord(c.Records[0].Name)
			return err
		}))
	})
}

// TestExchangeIgnoresDeadRuns: the lease of a process that is gone keeps nobody from it, and the run goes on
// in the new file, by the same process if it lives after all.
func TestExchangeIgnoresDeadRuns(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*Store, func(error), func()) error) {
		s, c, _ := NewStoreWithRun(t, "record")
		w := StartWriter(t.Context(), SecondStore(s))
		r, _ := Acquire(t, w, 2, 3)
		Iterate(t, r, 0, "saved")
		ok(t, w.Flush(t.Context()))
		c.Advance(time.Minute)
		ok(t, exchange(s, nil, nil))
		Iterate(t, r, 1, "later")
		ok(t, w.Close(t.Context()))
	})
}

// TestWritersWaitForAnExchange: while a store is copied readers go on, also beside a writer that waits. That
// is told, and continues in the new file; so does a sweep's process that is between two runs.
func TestWritersWaitForAnExchange(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*Store, func(error), func()) error) {
		s, _, id := NewStoreWithRun(t, "record")
		told, done := make(chan string, 2), make(chan error, 2)
		another := func() *Store {
			other := SecondStore(s)
			other.opts.OnCopied = func(path string) { told <- path }
			return other
		}
		sweeper := StartWriter(t.Context(), another())
		r, _ := Acquire(t, sweeper, 2, 1)
		Iterate(t, r, 0, "first run")
		r.Release(nil)
		ok(t, sweeper.Flush(t.Context()))
		old, err := os.Stat(s.path)
		ok(t, err)
		ok(t, exchange(s, nil, func() {
			go func() {
				done <- another().Update(t.Context(), func(tx *Tx) error { return tx.SetNote(RunID(t, 1), "note") })
			}()
			go func() {
				r, _, err := sweeper.Acquire(t.Context(), Claim{Spec: Spec(3), Target: 1})
				if err == nil {
					Iterate(t, r, 0, "second run")
					err = sweeper.Close(t.Context())
				}
				done <- err
			}()
			for range 2 {
				equal(t, "told", <-told, s.path)
			}
			reader := another()
			for range 20 {
				ok(t, reader.View(t.Context(), func(tx *Tx) error {
					equal(t, "committed meanwhile", tx.rows.HasRun(RunID(t, 3)), false)
					_, err := tx.ReadRecord(id)
					return err
				}))
			}
		}))
		for range 2 {
			ok(t, <-done)
		}
		now, err := os.Stat(s.path)
		ok(t, err)
		equal(t, "the file was replaced", os.SameFile(old, now), false)
		ok(t, s.View(t.Context(), func(tx *Tx) error {
			a, err := tx.ReadAnnotation(RunID(t, 1))
			ok(t, err)
			equal(t, "note", a.Note, "note")
			n, _, err := tx.ReadHead(RunID(t, 3))
			equal(t, "iterations", n, 1)
			return err
		}))
		equal(t, "orphans", UnreferencedRecords(t, s), 0)
	})
}

// TestWaitForAnExchangeIsNotLimited: time for which the store is copied does not count as a wait for others, and
// is told once.
func TestWaitForAnExchangeIsNotLimited(t *testing.T) {
	s, told := New("store.db", Options{Wait: time.Nanosecond}), 0
	s.opts.OnCopied = func(string) { told++ }
	w := s.newLockWait()
	for range 3 {
		w.last = w.last.Add(-time.Hour)
		equal(t, "over while it is copied", w.isOver(true), false)
	}
	equal(t, "over then", w.isOver(false), true)
	equal(t, "told", told, 1)
}

// TestWriterThatWaitsCanBeEnded: a writer that waits for as long as a store is copied can be interrupted.
func TestWriterThatWaitsCanBeEnded(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	r, err := BeginRepair(t.Context(), s, nil)
	ok(t, err)
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	other := SecondStore(s)
	other.opts.OnCopied = func(string) { cancel() }
	wantErr(t, other.Update(ctx, func(*Tx) error { return nil }), context.Canceled)
	_, err = Compact(ctx, other, CompactOptions{})
	wantErr(t, err, context.Canceled)
}

// TestExchangeOfAFileThatIsReplaced: what another file has taken the place of is not replaced. A compaction
// begins again with that file.
func TestExchangeOfAFileThatIsReplaced(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*Store, func(error), func()) error) {
		s, _, _ := NewStoreWithRun(t, "record")
		other, _ := NewStore(t)
		Extend(t, other, 2, 3)
		err := exchange(s, nil, func() { ok(t, os.Rename(other.path, s.path)) })
		if !errors.Is(err, ErrReplaced) {
			ok(t, err)
		}
		ok(t, s.View(t.Context(), func(tx *Tx) error {
			n, _, err := tx.ReadHead(RunID(t, 2))
			equal(t, "iterations", n, 3)
			return err
		}))
		equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	})
}

// TestExchangeOfAFileThatIsChanged: where the lock can be lost for a moment, nobody's commit is lost to the new
// file.
func TestExchangeOfAFileThatIsChanged(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	x, err := s.BeginExchange(t.Context(), nil)
	ok(t, err)
	defer x.Close()
	ok(t, os.WriteFile(s.path+".new", ReadFile(t, s.path), 0o600))
	filelock.Unlock(x.File())
	db, err := bbolt.Open(s.path, 0, &bbolt.Options{Timeout: time.Second})
	ok(t, err)
	ok(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(rows.BucketKeeps)).Put([]byte("key"), nil) }))
	ok(t, db.Close())
	wantErr(t, x.Replace(t.Context(), s.path+".new", nil), ErrReplaced)
	equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db podtrack.db.new]")
}

// TestCompactionsBesideWriters: compactions and writers that commit all the while both get their turn, and
// nothing of what was committed is lost.
func TestCompactionsBesideWriters(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	const writers, each, compactions = 4, 20, 5
	compacted := make(chan error)
	go func() {
		var err error
		for range compactions {
			if err == nil {
				_, err = Compact(context.Background(), SecondStore(s), CompactOptions{})
			}
		}
		compacted <- err
	}()
	saturate(t, s, writers, 2, func(tx *Tx, n int) error { return tx.AddTag(id, fmt.Sprint("t", n)) }, writers*each)
	ok(t, <-compacted)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		equal(t, "tags", len(tx.rows.Keys(rows.BucketTags, nil)), writers*each)
		return nil
	}))
	equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
}
