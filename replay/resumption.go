package replay

import (
	"fmt"
	"math"
	"time"

	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// Resumption describes where a run resumes and how the previous session left it.
type Resumption struct {
	K    int
	At   tracker.Position // zero at the start of iteration K
	Lost time.Duration    // upper bound of the work that the session lost
	tracker.Session

	// Changes is what differs between the code of that session and that of this one.
	Changes []provenance.Change
}

// newResumption returns nil for a new run.
func newResumption(
	held groupcommit.RunState, code *tracker.Code, beat time.Duration, now time.Time,
) *Resumption {
	if held.Previous == nil {
		return nil
	}
	return &Resumption{
		K: held.Done, Lost: held.Previous.LostAtMost(beat, now), Session: *held.Previous,
		Changes: provenance.Compare(held.Previous.Code, code),
	}
}

// String says where the run resumes and how much work was lost between the last save and the end of the process.
func (r Resumption) String() string {
	text := fmt.Sprintf("resuming at iteration %d", r.K)
	switch at := r.At; {
	case at.Stage == "" || at.Stage == stages.Collect && at.Part == 0:
		text += ", from its start"
	case at.Stage == stages.Collect:
		text += fmt.Sprintf(", %s: step %d of %d on", at.Stage, at.Part+1, at.Parts)
	case at.Stage == stages.Learn:
		text += fmt.Sprintf(", %s: option %d of %d on", at.Stage, at.Part+1, at.Parts)
	default:
		text += ", " + at.Stage
	}
	switch {
	case r.State == tracker.SessionInterrupted, r.State == tracker.SessionSignal:
		text += "; nothing is lost"
	case r.State == tracker.SessionVanished:
		text += fmt.Sprintf("; its process ended without a trace: at most %s of work is lost, all after %s",
			AboveSeconds(r.Lost), time.Unix(0, max(r.Saved, r.Started)).Format(time.TimeOnly))
	case r.State == tracker.SessionFailed:
		text += "; the last attempt failed"
	}
	return text
}

// AboveSeconds returns an upper bound of a duration, in seconds: with one decimal below ten.
func AboveSeconds(d time.Duration) string {
	if tenths := math.Ceil(d.Seconds() * 10); tenths < 100 {
		return fmt.Sprintf("%.1f s", tenths/10)
	}
	return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds()))
}
