package groupcommit

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
)

// deadPID returns the ID of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	ok(t, c.Run())
	return c.Process.Pid
}

func TestLeaseAlive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems go by the heartbeat alone")
	}
	now := NewClock().Now()
	mine := newLease(now)
	if mine.Boot == "" || mine.Start == 0 {
		t.Fatalf("this process is not known: %+v", mine)
	}
	change := func(f func(*tracker.Lease)) tracker.Lease { l := mine; f(&l); return l }
	dead := deadPID(t)
	for _, c := range []struct {
		name  string
		lease tracker.Lease
		at    time.Duration
		want  bool
	}{
		{"fresh", mine, 0, true},
		{"just in time", mine, 30 * time.Second, true},
		{"stale", mine, 30*time.Second + 1, false},
		{"from the far future", mine, -31 * time.Second, false},
		{"dead process", change(func(l *tracker.Lease) { l.PID = dead }), 0, false},
		{"dead process of another boot", change(func(l *tracker.Lease) { l.PID, l.Boot = dead, "else" }), 0, true},
		{"dead process of a machine unknown", change(func(l *tracker.Lease) { l.PID, l.Boot = dead, "" }), 0, true},
		{"another process of the same number", change(func(l *tracker.Lease) { l.Start-- }), 0, false},
	} {
		equal(t, c.name, c.lease.IsAlive(now.Add(c.at), 30*time.Second), c.want)
	}
}

func TestLivingLeaseKeepsOthersOut(t *testing.T) {
	s, _ := NewStore(t)
	r, _ := Acquire(t, CloseAtEnd(t, Start(t.Context(), s)), 1, 1)
	_, _, err := CloseAtEnd(t, Start(t.Context(), SecondStore(s))).Acquire(t.Context(),
		tracker.Claim{Spec: Spec(1), Target: 1})
	wantErr(t, err, tracker.ErrLocked)
	var h *tracker.HeldError
	if !errors.As(err, &h) || h.Lease.PID != os.Getpid() || h.Run != r.ID() {
		t.Fatalf("got %v", err)
	}
	_, err = gc.Remove(t.Context(), s, []schema.Digest{r.ID()})
	wantErr(t, err, tracker.ErrLocked)
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		status, err := tx.DeriveStatus(r.ID(), tracker.Annotation{Target: 1}, 0)
		equal(t, "status", status, tracker.Running)
		return err
	}))
}

func TestDeadOwnerIsTakenOver(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems go by the heartbeat alone")
	}
	s, _ := NewStore(t)
	l := newLease(s.Now())
	l.PID = deadPID(t)
	ok(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := acquire(tx, tracker.Claim{Spec: Spec(1), Target: 2}, l, nil)
		return err
	}))
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		status, err := tx.DeriveStatus(RunID(t, 1), tracker.Annotation{Target: 2}, 0)
		equal(t, "status", status, tracker.Interrupted)
		return err
	}))
	Acquire(t, CloseAtEnd(t, Start(t.Context(), s)), 1, 1)
}

func TestWokenOwnerLosesItsLease(t *testing.T) {
	s, c := NewStore(t)
	asleep := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, asleep, 1, 3)
	other, _ := Acquire(t, asleep, 2, 3)
	Iterate(t, r, 0, "of the sleeper")
	Iterate(t, other, 0, "of another run")

	c.Advance(31 * time.Second)
	taker := CloseAtEnd(t, Start(t.Context(), SecondStore(s)))
	r2, st := Acquire(t, taker, 1, 3)
	equal(t, "iterations found", st.Done, 0)
	ok(t, asleep.Flush(t.Context())) // the taker has committed nothing but its lease
	Iterate(t, r2, 0, "of the taker")
	ok(t, taker.Flush(t.Context()))
	wantErr(t, r.Err(), tracker.ErrLeaseLost)
	_, err := r.Put([]byte("more"))
	wantErr(t, err, tracker.ErrLeaseLost)
	wantErr(t, r.SealCheckpoint(nil, nil), tracker.ErrLeaseLost)
	wantErr(t, r.SealIteration(1, schema.Iteration{}, tracker.Cost{}), tracker.ErrLeaseLost)
	var acknowledged error
	r.Release(func(err error) { acknowledged = err })
	wantErr(t, acknowledged, tracker.ErrLeaseLost)

	Iterate(t, other, 1, "of another run, too") // is not affected
	ok(t, asleep.Close(t.Context()))
	Iterate(t, r2, 1, "of the taker, too")
	ok(t, taker.Close(t.Context()))
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		equal(t, "the sleeper's record is in the file", tx.Rows().HasRecord(schema.Name([]byte("of the sleeper"))), false)
		equal(t, "the taker's record is in the file", tx.Rows().HasRecord(schema.Name([]byte("of the taker"))), true)
		for _, id := range []schema.Digest{r.ID(), other.ID()} {
			done, _, err := tx.ReadHead(id)
			ok(t, err)
			equal(t, "iterations", done, 2)
		}
		return nil
	}))
}

func TestHeartbeatKeepsALease(t *testing.T) {
	s, c := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 1)
	for range 20 {
		c.Advance(5 * time.Second)
		w.tick()
	}
	ok(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		l, err := tx.ReadLease(r.ID())
		ok(t, err)
		equal(t, "beat", l.Beat, c.Now().UnixNano())
		equal(t, "since", l.Since, c.Now().Add(-100*time.Second).UnixNano())
		return nil
	}))
}
