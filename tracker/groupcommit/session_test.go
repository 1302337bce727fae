package groupcommit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// TestSessionsAreToldFromTheBeginning: a session exists from the acquisition of its run on, follows
// the commits, and keeps what is known if it vanishes.
func TestSessionsAreToldFromTheBeginning(t *testing.T) {
	s, c := NewStore(t)
	killed := CloseAtEnd(t, Start(t.Context(), s))
	r, st := Acquire(t, killed, 1, 3)
	equal(t, "acquired", SessionsOf(t, s, r.ID()), "running 0-0  0/0 0s")
	Iterate(t, r, 0, "a")
	r.SetPosition(tracker.Position{Stage: "learn", Part: 3, Parts: 9})
	ok(t, r.SealCheckpoint([]byte("state"), nil))
	equal(t, "sealed", SessionsOf(t, s, r.ID()), "running 0-0  0/0 0s")
	c.Advance(2 * time.Second)
	killed.tick()
	equal(t, "committed", SessionsOf(t, s, r.ID()), "running 0-1 learn 3/9 0s")
	c.Advance(5 * time.Second)
	killed.tick() // a heartbeat
	c.Advance(31 * time.Second)
	equal(t, "killed", SessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s")

	next, st := Acquire(t, CloseAtEnd(t, Start(t.Context(), SecondStore(s))), 1, 3)
	equal(t, "left", fmt.Sprint(st.Previous.State, st.Previous.To, st.Previous.Stage,
		time.Duration(st.Previous.Ended-st.Previous.Saved)), "vanished1learn7s")
	equal(t, "taken over", SessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s, running 1-1  0/0 0s")
	ok(t, next.EndSession(func(s *tracker.Session) {
		s.State, s.Error = tracker.SessionFailed, strings.Repeat("x", maxSessionError+1)
	}))
	next.Release(nil)
	ok(t, next.w.Flush(t.Context()))
	equal(t, "released", SessionsOf(t, s, r.ID()), "vanished 0-1 learn 3/9 7s, failed 1-1  0/0 0s")
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		all, err := tx.ReadSessionRows(r.ID())
		if n := len(all[1].Error); n != maxSessionError {
			t.Errorf("an error of %d bytes", n)
		}
		return err
	}))
}

// TestNoSessionWithoutWork: acquiring a complete run writes no session.
func TestNoSessionWithoutWork(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, st := Acquire(t, w, 1, 1)
	equal(t, "session", st.Session == nil && st.Previous == nil, true)
	ok(t, r.EndSession(func(s *tracker.Session) { s.State = tracker.SessionComplete }))
	r.Release(nil)
	ok(t, w.Flush(t.Context()))
	equal(t, "sessions", SessionsOf(t, s, r.ID()), "")
}

// TestClippedText: a text of the largest length is unchanged, and a longer one is truncated.
func TestClippedText(t *testing.T) {
	letters := strings.Repeat("x", 11)
	equal(t, "a text at the limit", tracker.ClipText(letters[:10], 10), letters[:10])
	equal(t, "one beyond", tracker.ClipText(letters, 10), letters[:7]+"…")
}
