package replay

import (
	"fmt"
	"math"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// Resumption describes where a run resumes and how the previous session left it.
type Resumption struct {
	K    int
	At   tracker.Position // zero at the start of iteration K
	Beat time.Duration    // between signs of life of a process that works on a run, 0 if unknown
	tracker.Session
}

// newResumption returns nil for a new run.
func newResumption(held tracker.RunState, beat time.Duration) *Resumption {
	if held.Previous == nil {
		return nil
	}
	return &Resumption{K: held.Done, Beat: beat, Session: *held.Previous}
}

// String returns where the run resumes and what is known to be lost: the work from the last save to the end of the
// process.
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
		text += "; its process ended without a trace, and " + r.lost(saved)
	case r.State == tracker.SessionFailed:
		text += "; the last attempt failed"
	}
	return text
}

// lost says how much work a process lost that ended without a trace. When it ended is not recorded: it was after its
// last sign of life, and before the next one was due.
func (r Resumption) lost(saved int64) string {
	after := fmt.Sprintf("its work after %s is lost", time.Unix(0, saved).Format(time.TimeOnly))
	least := max(0, time.Duration(r.Ended-saved))
	if r.Beat <= 0 {
		return after
	}
	return fmt.Sprintf("%s: %.0f to %.0f s, as it gave a sign of life every %.2g s", after, math.Floor(least.Seconds()),
		math.Ceil((least + r.Beat).Seconds()), r.Beat.Seconds())
}
