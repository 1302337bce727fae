package replay

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// Resumption describes where a run resumes and how the previous session left it.
type Resumption struct {
	K  int
	At tracker.Position // zero at the start of iteration K
	tracker.Session
}

// newResumption returns nil for a new run.
func newResumption(held tracker.RunState) *Resumption {
	if held.Previous == nil {
		return nil
	}
	return &Resumption{K: held.Done, Session: *held.Previous}
}

// String returns where the run resumes and what is known to be lost: at least the work between the
// last save and the process's last sign of life.
func (r Resumption) String() string {
	text := fmt.Sprintf("resuming at iteration %d", r.K)
	switch at := r.At; {
	case at.Stage == "" || at.Stage == StageCollect && at.Part == 0:
		text += ", from its start"
	case at.Stage == StageCollect:
		text += fmt.Sprintf(", %s: step %d of %d on", at.Stage, at.Part+1, at.Parts)
	case at.Stage == StageLearn:
		text += fmt.Sprintf(", %s: option %d of %d on", at.Stage, at.Part+1, at.Parts)
	default:
		text += ", " + at.Stage
	}
	saved := max(r.Saved, r.Started)
	switch {
	case r.State == tracker.SessionInterrupted, r.State == tracker.SessionSignal:
		text += "; nothing is lost"
	case r.State == tracker.SessionVanished:
		text += "; its process ended without a trace, and its work after " + time.Unix(0, saved).Format(time.TimeOnly)
		if lost := time.Duration(r.Ended - saved); lost >= 50*time.Millisecond {
			text += fmt.Sprintf(", %.1f s or more,", lost.Seconds())
		}
		text += " is lost"
	case r.State == tracker.SessionFailed:
		text += "; the last attempt failed"
	}
	return text
}
