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
	killed := closeAtEnd(t, s.StartWriter(t.Context()))
	r, st := begin(t, killed, 1, 3)
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
	ok(t, next.EndSession(func(s *Session) { s.State, s.Error = SessionFailed, strings.Repeat("x", maxSessionError+1) }))
	next.Release(nil)
	ok(t, next.w.Flush(t.Context()))
	equal(t, "released", sessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s, failed 1-1  0/0 0s")
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		all, err := tx.ReadSessionRows(r.ID())
		if n := len(all[1].Error); n != maxSessionError+len("…") {
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
}
