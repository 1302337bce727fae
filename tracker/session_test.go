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

// sessionsOf describes a run's sessions: state, iterations, position, and for how many
// seconds each was heard of.
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

// TestSessionsAreToldFromTheBeginning: a session is there when its run is acquired,
// follows what is committed, and what is known of one that vanishes is kept.
func TestSessionsAreToldFromTheBeginning(t *testing.T) {
	s, c := fresh(t)
	equal(t, "format before", formatOf(t, s), formatWhole)
	killed := closing(t, s.StartWriter(t.Context()))
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

	next, st := begin(t, closing(t, twin(s).StartWriter(t.Context())), 1, 3)
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

// TestNoSessionWithoutWork: who finds a run complete leaves no row.
func TestNoSessionWithoutWork(t *testing.T) {
	s, _, _ := filled(t, "record")
	w := closing(t, s.StartWriter(t.Context()))
	r, st := begin(t, w, 1, 1)
	equal(t, "session", st.Session == nil && st.Previous == nil, true)
	ok(t, r.EndSession(func(s *Session) { s.State = SessionComplete }))
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "sessions", sessionsOf(t, s, r.ID()), "")
	equal(t, "format", formatOf(t, s), formatWhole)
}

// ofFormat5 is a store with a run of two iterations, its session, proof levels of both
// iterations, and rows of a run that was removed.
func ofFormat5(t testing.TB) (*Store, schema.Digest) {
	t.Helper()
	s, _ := fresh(t)
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

// rowsOf counts the rows of a bucket that are sound.
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

// TestLaterRows: what a later program writes into a store of this format is checked,
// comes along where the run goes, and what was removed ends with a compaction.
func TestLaterRows(t *testing.T) {
	const sessions = "signal 2-2  0/0 0s"
	for name, into := range map[string]func(t *testing.T, s *Store) *Store{
		"compaction": func(t *testing.T, s *Store) *Store {
			_, err := s.Compact(t.Context(), nil)
			ok(t, err)
			return s
		},
		"merge": func(t *testing.T, s *Store) *Store {
			to := empty(t, s)
			extend(t, to, 1, 1)
			copied(t, s, to)
			copied(t, s, to)
			return to
		},
		"bundle": func(t *testing.T, s *Store) *Store {
			to := empty(t, s)
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
			s, id := ofFormat5(t)
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

// TestLaterRowsDamaged: a check holds them to their checksums.
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
			s, id := ofFormat5(t)
			ok(t, s.Update(t.Context(), func(tx *Tx) error { return damage(tx, id) }))
			found, err := Check(t.Context(), s, everything)
			ok(t, err)
			equal(t, "damaged", len(found.Damaged), 1)
		})
	}
}

// TestCopyOfASession: what is at work there is not said here, and what was told of a
// session before it ended is told again.
func TestCopyOfASession(t *testing.T) {
	from, c := fresh(t)
	w := closing(t, from.StartWriter(t.Context()))
	r, _ := begin(t, w, 1, 2)
	chain(t, r, 0, r.ID(), schema.KindValue, artefacts(t, 1, 0)...)
	ok(t, w.Flush(t.Context()))
	to := empty(t, from)
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
