package tracker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// newStoreWithRowsBeside makes a store with a run of two iterations, its session, proof levels of both
// iterations, and rows of a removed run.
func newStoreWithRowsBeside(t testing.TB) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 2)
	w := s.StartWriter(context.Background())
	r, _ := Begin(t, w, 1, 3)
	OK(t, r.EndSession(func(s *tracker.Session) { s.State, s.Signal = tracker.SessionSignal, "SIGHUP" }))
	OK(t, w.Close(context.Background()))
	OK(t, s.Update(context.Background(), func(tx *tracker.Tx) error {
		for k := range 2 {
			OK(t, tx.PutProof(id, k, proofOf(t, tx, id, k)))
		}
		return tx.PutVerifiedRow(rows.BucketRemoved, []byte("a removed run's"), []byte("row"))
	}))
	return s, id
}

// proofOf returns a proof of an iteration.
func proofOf(t testing.TB, tx *tracker.Tx, id schema.Digest, k int) tracker.Proof {
	t.Helper()
	it, err := tx.ReadIteration(id, k)
	OK(t, err)
	return tracker.Proof{Link: it.Link, Time: 1, Host: "host", Program: "podtrack",
		Levels: map[string]schema.Level{"collect": schema.Recomputed}}
}

// rowsOf counts the valid rows of a bucket.
func rowsOf(t testing.TB, s *tracker.Store, bucket string) (n int) {
	t.Helper()
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		for key, row := range tx.Rows().WithPrefix(bucket, nil) {
			_, err := rows.Verify(bucket, key, row)
			OK(t, err)
			n++
		}
		return nil
	}))
	return n
}

// TestRowsBesideIterations: proofs stay with compactions and repairs, and are left behind by merges, since they say
// what was replayed in their store. Rows of removed runs end with all of these.
func TestRowsBesideIterations(t *testing.T) {
	const sessions = "signal 2-2  0/0 0s"
	proofs := map[string]int{"compaction": 2, "repair": 2, "merge": 1}
	for name, into := range map[string]func(t *testing.T, s *tracker.Store) *tracker.Store{
		"compaction": func(t *testing.T, s *tracker.Store) *tracker.Store {
			_, err := s.Compact(t.Context(), nil)
			OK(t, err)
			return s
		},
		"merge": func(t *testing.T, s *tracker.Store) *tracker.Store {
			to := NewEmptyStore(t, s)
			id := Extend(t, to, 1, 1)
			OK(t, to.Update(t.Context(), func(tx *tracker.Tx) error {
				return tx.PutProof(id, 0, proofOf(t, tx, id, 0))
			}))
			Merge(t, s, to)
			Merge(t, s, to)
			return to
		},
		"bundle": func(t *testing.T, s *tracker.Store) *tracker.Store {
			to := NewEmptyStore(t, s)
			Merge(t, s, to)
			return to
		},
		"repair": func(t *testing.T, s *tracker.Store) *tracker.Store {
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
				return tx.Rows().Bucket(rows.BucketNames).Put([]byte("name"), []byte("row"))
			}))
			r, err := s.BeginRepair(t.Context())
			OK(t, err)
			t.Cleanup(r.Close)
			return r.NewStore
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreWithRowsBeside(t)
			Equal(t, "removed before", rowsOf(t, s, rows.BucketRemoved), 1)
			Sound(t, s)
			s = into(t, s)
			Equal(t, "proofs", rowsOf(t, s, rows.BucketProofs), proofs[name])
			Equal(t, "removed", rowsOf(t, s, rows.BucketRemoved), 0)
			if got := SessionsOf(t, s, id); !strings.HasSuffix(got, sessions) {
				t.Errorf("sessions %q, want the last to be %q", got, sessions)
			}
			Sound(t, s)
		})
	}
}

// TestRowsBesideIterationsDamaged: a check verifies them, and a repair leaves them out.
func TestRowsBesideIterationsDamaged(t *testing.T) {
	for name, damage := range map[string]func(tx *tracker.Tx, id schema.Digest) error{
		"removed": func(tx *tracker.Tx, _ schema.Digest) error {
			return tx.Rows().Bucket(rows.BucketRemoved).Put([]byte("key"), []byte("damaged row"))
		},
		"proofs": func(tx *tracker.Tx, id schema.Digest) error {
			return tx.Rows().Bucket(rows.BucketProofs).Put(rows.PartKey(id, 0), []byte("damaged row"))
		},
		"proofs of no iteration": func(tx *tracker.Tx, id schema.Digest) error {
			return rows.Write(tx.Rows(), rows.BucketProofs, rows.PartKey(id, 2), proofOf(t, tx, id, 1))
		},
		"proofs, no levels": func(tx *tracker.Tx, id schema.Digest) error {
			return rows.Write(tx.Rows(), rows.BucketProofs, rows.PartKey(id, 1), tracker.Proof{})
		},
		"proofs, another word": func(tx *tracker.Tx, id schema.Digest) error {
			p := proofOf(t, tx, id, 1)
			p.Levels["collect"] = "trusted"
			return rows.Write(tx.Rows(), rows.BucketProofs, rows.PartKey(id, 1), p)
		},
		"proofs of another link": func(tx *tracker.Tx, id schema.Digest) error {
			return rows.Write(tx.Rows(), rows.BucketProofs, rows.PartKey(id, 1), proofOf(t, tx, id, 0))
		},
		"proofs of no run": func(tx *tracker.Tx, _ schema.Digest) error {
			return tx.Rows().Put(rows.BucketProofs, rows.PartKey(schema.Digest{}, 0), []byte("l"))
		},
		"proofs, key of no length": func(tx *tracker.Tx, id schema.Digest) error {
			return tx.Rows().Put(rows.BucketProofs, id[:], []byte("levels"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreWithRowsBeside(t)
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return damage(tx, id) }))
			found, err := check.Run(t.Context(), s, SelectAll)
			OK(t, err)
			Equal(t, "damaged", len(found.Damaged), 1)
			r, err := s.BeginRepair(t.Context())
			OK(t, err)
			t.Cleanup(r.Close)
			Sound(t, r.NewStore)
		})
	}
}

// TestCopyOfASession: a running session is not copied, and a session that was copied before it
// ended is copied again.
func TestCopyOfASession(t *testing.T) {
	from, c := NewStore(t)
	w := CloseAtEnd(t, from.StartWriter(t.Context()))
	r, _ := Begin(t, w, 1, 2)
	Chain(t, r, 0, r.ID(), schema.KindValue, Artefacts(t, 1, 0)...)
	OK(t, w.Flush(t.Context()))
	to := NewEmptyStore(t, from)
	Merge(t, from, to)
	Equal(t, "at work", SessionsOf(t, to, r.ID()), "")
	c.Advance(40 * time.Second)
	Merge(t, from, to)
	Equal(t, "taken for dead", SessionsOf(t, to, r.ID()), "vanished 0-1  0/0 0s")
	OK(t, w.Flush(t.Context()))
	OK(t, r.EndSession(func(s *tracker.Session) { s.State = tracker.SessionComplete }))
	OK(t, w.Flush(t.Context()))
	for range 2 {
		Merge(t, from, to)
		Equal(t, "it was not", SessionsOf(t, to, r.ID()), "complete 0-1  0/0 40s")
	}
}
