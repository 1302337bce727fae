package tracker

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// begin acquires a run with a session.
func begin(t testing.TB, w *Writer, seed uint64, target int) (*RunWriter, RunState) {
	t.Helper()
	r, st, err := w.Acquire(context.Background(),
		Claim{Spec: spec(seed), Target: target, Session: &Session{Modules: map[string]string{}}})
	ok(t, err)
	return r, st
}

// sessionsOf formats a run's sessions: state, iterations, position, and duration in seconds.
func sessionsOf(t testing.TB, s *Store, id schema.Digest) string {
	t.Helper()
	var all []string
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		sessions, err := tx.ReadSessions(id)
		for _, s := range sessions {
			all = append(all, fmt.Sprintf("%s %d-%d %s %d/%d %.0fs", s.State, s.From, s.To, s.Stage, s.Part, s.Parts,
				s.Duration().Seconds()))
		}
		return err
	}))
	return strings.Join(all, ", ")
}

// TestSessionsAreToldFromTheBeginning: a session exists from the acquisition of its run on, follows
// the commits, and keeps what is known if it vanishes.
func TestSessionsAreToldFromTheBeginning(t *testing.T) {
	s, c := newTestStore(t)
	equal(t, "format before", formatOf(t, s), formatWhole)
	killed := closeAtEnd(t, s.StartWriter(t.Context()))
	r, st := begin(t, killed, 1, 3)
	equal(t, "format", formatOf(t, s), formatSessions)
	equal(t, "acquired", sessionsOf(t, s, r.ID()), "running 0-0  0/0 0s")
	iterate(t, r, 0, "a")
	r.SetPosition(Position{Stage: "learn", Part: 3, Parts: 9})
	ok(t, r.SealCheckpoint([]byte("state"), nil))
	equal(t, "sealed", sessionsOf(t, s, r.ID()), "running 0-0  0/0 0s")
	c.advance(2 * time.Second)
	killed.tick()
	equal(t, "committed", sessionsOf(t, s, r.ID()), "running 0-1 learn 3/9 0s")
	c.advance(5 * time.Second)
	killed.tick() // a heartbeat
	c.advance(31 * time.Second)
	equal(t, "killed", sessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s")

	next, st := begin(t, closeAtEnd(t, secondStore(s).StartWriter(t.Context())), 1, 3)
	equal(t, "left", fmt.Sprint(st.Previous.State, st.Previous.To, st.Previous.Stage,
		time.Duration(st.Previous.Ended-st.Previous.Saved)), "vanished1learn7s")
	equal(t, "taken over", sessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s, running 1-1  0/0 0s")
	ok(t, next.EndSession(func(s *Session) { s.State, s.Error = SessionFailed, strings.Repeat("é", maxSessionError) }))
	next.Release(nil)
	ok(t, next.w.Flush(t.Context()))
	equal(t, "released", sessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s, failed 1-1  0/0 0s")
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		all, err := tx.readSessionRows(r.ID())
		if n := len(all[1].Error); n > maxSessionError+len("…") {
			t.Errorf("an error of %d bytes", n)
		}
		return err
	}))
}

// TestNoSessionWithoutWork: acquiring a complete run writes no session.
func TestNoSessionWithoutWork(t *testing.T) {
	s, _, _ := newStoreWithRun(t, "record")
	w := closeAtEnd(t, s.StartWriter(t.Context()))
	r, st := begin(t, w, 1, 1)
	equal(t, "session", st.Session == nil && st.Previous == nil, true)
	ok(t, r.EndSession(func(s *Session) { s.State = SessionComplete }))
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "sessions", sessionsOf(t, s, r.ID()), "")
	equal(t, "format", formatOf(t, s), formatWhole)
}

// newStoreOfFormat5 makes a store with a run of two iterations, its session, proof levels of both
// iterations, and rows of a removed run.
func newStoreOfFormat5(t testing.TB) (*Store, schema.Digest) {
	t.Helper()
	s, _ := newTestStore(t)
	id := extend(t, s, 1, 2)
	w := s.StartWriter(context.Background())
	r, _ := begin(t, w, 1, 3)
	ok(t, r.EndSession(func(s *Session) { s.State, s.Signal = SessionSignal, "SIGHUP" }))
	ok(t, w.Close(context.Background()))
	ok(t, s.Update(context.Background(), func(tx *Tx) error {
		for k := range 2 {
			ok(t, tx.putVerifiedRow(bucketProofs, partKey(id, k), fmt.Append(nil, "levels of ", k)))
		}
		return tx.putVerifiedRow(bucketRemoved, []byte("a removed run's"), []byte("row"))
	}))
	return s, id
}

// rowsOf counts the valid rows of a bucket.
func rowsOf(t testing.TB, s *Store, bucket string) (n int) {
	t.Helper()
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		for key, row := range tx.rowsWithPrefix(bucket, nil) {
			_, err := verifyRow(bucket, key, row)
			ok(t, err)
			n++
		}
		return nil
	}))
	return n
}

// TestLaterRows: rows that a later program writes into a store of this format are checked and
// copied with the run. Rows of removed runs end with a compaction.
func TestLaterRows(t *testing.T) {
	const sessions = "signal 2-2  0/0 0s"
	for name, into := range map[string]func(t *testing.T, s *Store) *Store{
		"compaction": func(t *testing.T, s *Store) *Store {
			_, err := s.Compact(t.Context(), nil)
			ok(t, err)
			return s
		},
		"merge": func(t *testing.T, s *Store) *Store {
			to := newEmptyStore(t, s)
			extend(t, to, 1, 1)
			copied(t, s, to)
			copied(t, s, to)
			return to
		},
		"bundle": func(t *testing.T, s *Store) *Store {
			to := newEmptyStore(t, s)
			copied(t, s, to)
			return to
		},
		"repair": func(t *testing.T, s *Store) *Store {
			ok(t, s.Update(t.Context(), func(tx *Tx) error {
				return tx.buckets[bucketNames].Put([]byte("name"), []byte("row"))
			}))
			r, err := s.BeginRepair(t.Context())
			ok(t, err)
			t.Cleanup(r.Close)
			return r.NewStore
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreOfFormat5(t)
			equal(t, "removed before", rowsOf(t, s, bucketRemoved), 1)
			sound(t, s)
			s = into(t, s)
			equal(t, "format", formatOf(t, s), formatSessions)
			equal(t, "proofs", rowsOf(t, s, bucketProofs), 2)
			equal(t, "removed", rowsOf(t, s, bucketRemoved), 0)
			if got := sessionsOf(t, s, id); !strings.HasSuffix(got, sessions) {
				t.Errorf("sessions %q, want the last to be %q", got, sessions)
			}
			sound(t, s)
		})
	}
}

// TestLaterRowsDamaged: a check verifies their checksums.
func TestLaterRowsDamaged(t *testing.T) {
	for name, damage := range map[string]func(tx *Tx, id schema.Digest) error{
		"removed": func(tx *Tx, _ schema.Digest) error {
			return tx.buckets[bucketRemoved].Put([]byte("key"), []byte("damaged row"))
		},
		"proofs": func(tx *Tx, id schema.Digest) error {
			return tx.buckets[bucketProofs].Put(partKey(id, 0), []byte("damaged row"))
		},
		"proofs of no iteration": func(tx *Tx, id schema.Digest) error {
			return tx.putRow(bucketProofs, partKey(id, 2), []byte("levels"))
		},
		"proofs of no run": func(tx *Tx, _ schema.Digest) error {
			return tx.putRow(bucketProofs, partKey(schema.Digest{}, 0), []byte("l"))
		},
		"proofs, key of no length": func(tx *Tx, id schema.Digest) error {
			return tx.putRow(bucketProofs, id[:], []byte("levels"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := newStoreOfFormat5(t)
			ok(t, s.Update(t.Context(), func(tx *Tx) error { return damage(tx, id) }))
			found, err := Check(t.Context(), s, selectAll)
			ok(t, err)
			equal(t, "damaged", len(found.Damaged), 1)
		})
	}
}

// TestCopyOfASession: a running session is not copied, and a session that was copied before it
// ended is copied again.
func TestCopyOfASession(t *testing.T) {
	from, c := newTestStore(t)
	w := closeAtEnd(t, from.StartWriter(t.Context()))
	r, _ := begin(t, w, 1, 2)
	chain(t, r, 0, r.ID(), schema.KindValue, artefacts(t, 1, 0)...)
	ok(t, w.Flush(t.Context()))
	to := newEmptyStore(t, from)
	copied(t, from, to)
	equal(t, "at work", sessionsOf(t, to, r.ID()), "")
	c.advance(40 * time.Second)
	copied(t, from, to)
	equal(t, "taken for dead", sessionsOf(t, to, r.ID()), "vanished 0-1  0/0 0s")
	w.tick()
	ok(t, r.EndSession(func(s *Session) { s.State = SessionComplete }))
	ok(t, w.Flush(t.Context()))
	for range 2 {
		copied(t, from, to)
		equal(t, "it was not", sessionsOf(t, to, r.ID()), "complete 0-1  0/0 40s")
	}
}
