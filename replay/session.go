package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// SignalError is the cause of a context that a signal cancelled.
type SignalError struct{ Name string }

func (s SignalError) Error() string { return "received " + s.Name }

// CodeFor returns the code that works on the spec's run beside this program, nil if it is unknown. The programs must
// have been checked before: launchers know their code from then on.
func (o Options) CodeFor(spec schema.Spec) *tracker.Code {
	if o.Code == nil {
		return nil
	}
	code := *o.Code
	if launcher, ok := o.Launcher.(CodeLauncher); ok && spec.Env.External != nil {
		code.Programs = append(slices.Clone(code.Programs), launcher.Code(spec.Env))
	}
	if launcher, ok := o.Stages.(CodeStageLauncher); ok {
		code.Programs = append(slices.Clone(code.Programs), launcher.Code(spec.Stages)...)
	}
	return code.Bounded()
}

// endSession records how the work on a run ended. CPU time and peak memory are the process's, which may have worked on
// other runs too. It returns no error: releasing the run fails for the same reason, and reports it.
func endSession(ctx context.Context, rw *groupcommit.RunWriter, cpu time.Duration, err error) {
	_ = rw.EndSession(func(s *tracker.Session) {
		s.CPU, s.Peak = (processCPU() - cpu).Nanoseconds(), peakMemory()
		var signal SignalError
		switch {
		case err == nil:
			s.State = tracker.SessionComplete
		case !errors.Is(err, ErrInterrupted):
			s.State, s.Error = tracker.SessionFailed, err.Error()
		case errors.As(context.Cause(ctx), &signal):
			s.State, s.Signal = tracker.SessionSignal, signal.Name
		default:
			s.State = tracker.SessionInterrupted
		}
	})
}

// Resumption describes where a run resumes and how the previous session left it.
type Resumption struct {
	K    int
	At   tracker.Position // zero at the start of iteration K
	Lost time.Duration    // upper bound of the work that the session lost
	tracker.Session

	// Changes is what differs between the code of that session and that of this one.
	Changes []provenance.Change
}

// String returns where the run resumes, and how much work was lost between the last save and the end of the process.
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
