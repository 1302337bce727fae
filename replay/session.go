package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// SignalError is the cause of a context that a signal cancelled.
type SignalError struct{ Name string }

func (s SignalError) Error() string { return "received " + s.Name }

// newSession returns the session fields that describe this program, and the code that works on a run beside it.
func newSession(b Build, code *tracker.Code) *tracker.Session {
	return &tracker.Session{
		Go: b.Go, OS: b.OS, Arch: b.Arch, Level: b.Level,
		Modules: b.Modules, Revision: b.Revision, Dirty: b.Dirty, Code: code,
	}
}

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
