package replay

import (
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

func TestResumedSays(t *testing.T) {
	saved := time.Date(2026, 11, 22, 12, 0, 3, 0, time.Local)
	vanished := tracker.Session{
		State: tracker.SessionVanished, Started: saved.UnixNano() - 9e9, Saved: saved.UnixNano(),
		Ended: saved.UnixNano() + 8e8,
	}
	long := vanished
	long.Ended = saved.UnixNano() + 40e9 // heartbeats, but nothing saved, while one option was learned
	early := vanished
	early.Saved, early.Started, early.Ended = 0, saved.UnixNano(), saved.UnixNano()
	lost := func(s tracker.Session, since time.Duration) time.Duration {
		return s.LostAtMost(5*time.Second, saved.Add(since))
	}
	learn := tracker.Position{Stage: StageLearn, Part: 36, Parts: 90}
	for want, r := range map[string]Resumption{
		"resuming at iteration 3, learn: option 37 of 90 on; its process ended without a trace: at most 5.8 s of " +
			"work is lost, all after 12:00:03": {3, learn, lost(vanished, time.Hour), vanished, nil},
		"resuming at iteration 3, learn: option 37 of 90 on; its process ended without a trace: at most 45 s of " +
			"work is lost, all after 12:00:03": {3, learn, lost(long, time.Hour), long, nil},
		"resuming at iteration 3, from its start; its process ended without a trace: at most 0.1 s of work is lost, " +
			"all after 12:00:03": { // since it has not been longer
			3, tracker.Position{Stage: StageCollect, Parts: 500}, lost(early, 50*time.Millisecond), early, nil,
		},
		"resuming at iteration 0, collect: step 65 of 500 on; nothing is lost": {0,
			tracker.Position{Stage: StageCollect, Part: 64, Parts: 500}, 0, tracker.Session{State: tracker.SessionSignal}, nil},
		"resuming at iteration 0, collect: step 65 of 500 on; the last attempt failed": {0,
			tracker.Position{Stage: StageCollect, Part: 64, Parts: 500}, 0, tracker.Session{State: tracker.SessionFailed}, nil},
		"resuming at iteration 2, from its start": {
			2, tracker.Position{Stage: StageCollect, Parts: 500}, 0, tracker.Session{State: tracker.SessionComplete}, nil,
		},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
