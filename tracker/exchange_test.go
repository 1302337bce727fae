package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

// exchanges are the operations that replace a store's file. Each calls meanwhile, unless that is nil, while it makes
// the copy.
var exchanges = map[string]func(s *tracker.Store, meanwhile func()) error{
	"compaction": func(s *tracker.Store, meanwhile func()) error {
		_, err := backup.Compact(context.Background(), s, func(int64, int64) {
			if meanwhile != nil {
				meanwhile()
				meanwhile = nil
			}
		})
		return err
	},
	"repair": func(s *tracker.Store, meanwhile func()) error {
		r, err := repair.Begin(context.Background(), s)
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
	t *testing.T, test func(t *testing.T, exchange func(s *tracker.Store, meanwhile func()) error),
) {
	SkipUnlessReplaceable(t)
	for name, exchange := range exchanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, exchange)
		})
	}
}

// TestExchangeRefusesRunsAtWork: a store keeps its file while a living process works on a run, which is named.
func TestExchangeRefusesRunsAtWork(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*tracker.Store, func()) error) {
		s, _, _ := NewStoreWithRun(t, "record")
		w := CloseAtEnd(t, groupcommit.Start(t.Context(), SecondStore(s)))
		r, _ := Acquire(t, w, 2, 3)
		Iterate(t, r, 0, "saved")
		OK(t, w.Flush(t.Context()))
		before := ReadFile(t, s.Path())
		var held *tracker.HeldError
		if err := exchange(s, nil); !errors.As(err, &held) || held.Run != RunID(t, 2) {
			t.Errorf("error %v, want one about run %s", err, RunID(t, 2))
		}
		Equal(t, "the file", cmp.Equal(before, ReadFile(t, s.Path())), true)
		Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
		name, err := r.Put([]byte("open"))
		OK(t, err)
		OK(t, r.SealCheckpoint([]byte("state"), Entries(name)))
		OK(t, w.Close(t.Context()))
		OK(t, exchange(s, nil))
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			c, err := tx.ReadCheckpoint(RunID(t, 2))
			OK(t, err)
			Equal(t, "state", string(c.State), "state")
			_, err = tx.ReadRecord(c.Records[0].Name)
			return err
		}))
	})
}

// TestExchangeIgnoresDeadRuns: the lease of a process that has ended does not prevent it, and the run continues in the
// new file, even by the same process, should it be alive.
func TestExchangeIgnoresDeadRuns(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*tracker.Store, func()) error) {
		s, c, _ := NewStoreWithRun(t, "record")
		w := groupcommit.Start(t.Context(), SecondStore(s))
		r, _ := Acquire(t, w, 2, 3)
		Iterate(t, r, 0, "saved")
		OK(t, w.Flush(t.Context()))
		c.Advance(time.Minute)
		OK(t, exchange(s, nil))
		Iterate(t, r, 1, "later")
		OK(t, w.Close(t.Context()))
	})
}

// TestWritersWaitForAnExchange: while a store is copied readers go on, also beside a writer that waits. Such a writer
// reports that it waits, and continues in the new file; so does a process of a sweep between two runs.
func TestWritersWaitForAnExchange(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*tracker.Store, func()) error) {
		s, _, id := NewStoreWithRun(t, "record")
		told, done := make(chan string, 2), make(chan error, 2)
		another := func() *tracker.Store {
			o := s.Options()
			o.OnCopied = func(path string) { told <- path }
			return tracker.New(s.Path(), o)
		}
		sweeper := groupcommit.Start(t.Context(), another())
		r, _ := Acquire(t, sweeper, 2, 1)
		Iterate(t, r, 0, "first run")
		r.Release(nil)
		OK(t, sweeper.Flush(t.Context()))
		old, err := os.Stat(s.Path())
		OK(t, err)
		OK(t, exchange(s, func() {
			go func() {
				done <- another().Update(t.Context(), func(tx *tracker.Tx) error { return tx.SetNote(RunID(t, 1), "note") })
			}()
			go func() {
				r, _, err := sweeper.Acquire(t.Context(), tracker.Claim{Spec: Spec(3), Target: 1})
				if err == nil {
					Iterate(t, r, 0, "second run")
					err = sweeper.Close(t.Context())
				}
				done <- err
			}()
			for range 2 {
				Equal(t, "told", <-told, s.Path())
			}
			reader := another()
			for range 20 {
				OK(t, reader.View(t.Context(), func(tx *tracker.Tx) error {
					Equal(t, "committed meanwhile", tx.Rows().HasRun(RunID(t, 3)), false)
					_, err := tx.ReadRecord(id)
					return err
				}))
			}
		}))
		for range 2 {
			OK(t, <-done)
		}
		now, err := os.Stat(s.Path())
		OK(t, err)
		Equal(t, "the file was replaced", os.SameFile(old, now), false)
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			a, err := tx.ReadAnnotation(RunID(t, 1))
			OK(t, err)
			Equal(t, "note", a.Note, "note")
			n, _, err := tx.ReadHead(RunID(t, 3))
			Equal(t, "iterations", n, 1)
			return err
		}))
		Equal(t, "orphans", UnreferencedRecords(t, s), 0)
	})
}

// TestWriterThatWaitsCanBeEnded: a writer that waits for as long as a store is copied can be interrupted.
func TestWriterThatWaitsCanBeEnded(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	r, err := repair.Begin(t.Context(), s)
	OK(t, err)
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	o := s.Options()
	o.OnCopied = func(string) { cancel() }
	other := tracker.New(s.Path(), o)
	WantErr(t, other.Update(ctx, func(*tracker.Tx) error { return nil }), context.Canceled)
	_, err = backup.Compact(ctx, other, nil)
	WantErr(t, err, context.Canceled)
}

// TestExchangeOfAFileThatIsReplaced: a file that took the store's place is not replaced. A compaction
// begins again with that file.
func TestExchangeOfAFileThatIsReplaced(t *testing.T) {
	testExchanges(t, func(t *testing.T, exchange func(*tracker.Store, func()) error) {
		s, _, _ := NewStoreWithRun(t, "record")
		other, _ := NewStore(t)
		Extend(t, other, 2, 3)
		err := exchange(s, func() { OK(t, os.Rename(other.Path(), s.Path())) })
		if !errors.Is(err, tracker.ErrReplaced) {
			OK(t, err)
		}
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			n, _, err := tx.ReadHead(RunID(t, 2))
			Equal(t, "iterations", n, 3)
			return err
		}))
		Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	})
}

// TestExchangeOfAFileThatIsChanged: where the lock can be lost for a moment, the new file still has every commit.
func TestExchangeOfAFileThatIsChanged(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	x, err := s.BeginExchange(t.Context())
	OK(t, err)
	defer x.Close()
	OK(t, os.WriteFile(s.Path()+".new", ReadFile(t, s.Path()), 0o600))
	filelock.Unlock(x.File())
	db, err := bbolt.Open(s.Path(), 0, &bbolt.Options{Timeout: time.Second})
	OK(t, err)
	OK(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(rows.BucketKeeps)).Put([]byte("key"), nil) }))
	OK(t, db.Close())
	WantErr(t, x.Replace(t.Context(), s.Path()+".new", nil), tracker.ErrReplaced)
	Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db podtrack.db.new]")
}

// TestCompactionsBesideWriters: compactions and writers that commit without a pause both get their turn, and no commit
// is lost.
func TestCompactionsBesideWriters(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	const writers, each, compactions = 4, 20, 5
	compacted := make(chan error)
	go func() {
		var err error
		for range compactions {
			if err == nil {
				_, err = backup.Compact(context.Background(), SecondStore(s), nil)
			}
		}
		compacted <- err
	}()
	saturate(t, s, writers, 2, func(tx *tracker.Tx, n int) error {
		return tx.AddTag(id, fmt.Sprint("t", n))
	}, writers*each)
	OK(t, <-compacted)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		Equal(t, "tags", len(tx.Rows().Keys(rows.BucketTags, nil)), writers*each)
		return nil
	}))
	Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
}
