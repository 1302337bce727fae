package tracker_test

import (
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestRowsBesideIterations: compactions, repairs, merges and bundles keep sessions.
func TestRowsBesideIterations(t *testing.T) {
	const sessions = "signal 2-2  0/0 0s"
	for name, into := range map[string]func(t *testing.T, s *tracker.Store) *tracker.Store{
		"compaction": func(t *testing.T, s *tracker.Store) *tracker.Store {
			_, err := backup.Compact(t.Context(), s, nil)
			OK(t, err)
			return s
		},
		"merge": func(t *testing.T, s *tracker.Store) *tracker.Store {
			to := NewEmptyStore(t, s)
			Extend(t, to, 1, 1)
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
			r, err := repair.Begin(t.Context(), s)
			OK(t, err)
			t.Cleanup(r.Close)
			return r.NewStore
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreWithRowsBeside(t)
			sound(t, s)
			s = into(t, s)
			if got := SessionsOf(t, s, id); !strings.HasSuffix(got, sessions) {
				t.Errorf("sessions %q, want the last to be %q", got, sessions)
			}
			sound(t, s)
		})
	}
}

// TestRowsBesideIterationsDamaged: a check verifies them, and a repair leaves them out.
func TestRowsBesideIterationsDamaged(t *testing.T) {
	for name, damage := range map[string]func(tx *tracker.Tx, id schema.Digest) error{
		"sessions": func(tx *tracker.Tx, id schema.Digest) error {
			return tx.Rows().Bucket(rows.BucketSessions).Put(rows.PartKey(id, 0), []byte("damaged row"))
		},
		"costs of no iteration": func(tx *tracker.Tx, id schema.Digest) error {
			return rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, 2), tracker.Cost{})
		},
		"costs of no run": func(tx *tracker.Tx, _ schema.Digest) error {
			return tx.Rows().Put(rows.BucketCosts, rows.PartKey(schema.Digest{}, 0), []byte("c"))
		},
		"costs, key of no length": func(tx *tracker.Tx, id schema.Digest) error {
			return tx.Rows().Put(rows.BucketCosts, id[:], []byte("cost"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreWithRowsBeside(t)
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return damage(tx, id) }))
			found, err := check.Run(t.Context(), s, SelectAll)
			OK(t, err)
			Equal(t, "damaged", len(found.Damaged), 1)
			r, err := repair.Begin(t.Context(), s)
			OK(t, err)
			t.Cleanup(r.Close)
			sound(t, r.NewStore)
		})
	}
}

// TestCopyOfASession: a running session is not copied, and a session that was copied before it
// ended is copied again.
func TestCopyOfASession(t *testing.T) {
	from, c := NewStore(t)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), from))
	r, _ := Acquire(t, w, 1, 2)
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
