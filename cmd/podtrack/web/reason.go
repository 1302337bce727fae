package web

import (
	"cmp"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// stoppedRun is a run's line, and why nobody works on it.
type stoppedRun struct {
	report.Run
	Reason string `json:"reason,omitempty"` // "" for runs that are complete or running
}

// readReasons returns the runs, each with why nobody works on it.
func readReasons(tx *tracker.Tx, runs []report.Run) ([]stoppedRun, error) {
	stopped := make([]stoppedRun, len(runs))
	for i, run := range runs {
		reason, err := readReason(tx, run)
		if err != nil {
			return nil, err
		}
		stopped[i] = stoppedRun{run, reason}
	}
	return stopped, nil
}

// readReason returns why nobody works on an incomplete run, "" for other runs.
func readReason(tx *tracker.Tx, run report.Run) (string, error) {
	switch run.Status {
	case tracker.Failed:
		return run.Failure, nil
	case tracker.Interrupted:
		sessions, err := tx.ReadSessions(run.ID)
		if err != nil || len(sessions) == 0 {
			return "nobody works on it", err
		}
		return endText(sessions[len(sessions)-1]), nil
	}
	return "", nil
}

// endText returns how a session ended that did not complete its run.
func endText(last tracker.Session) string {
	switch last.State {
	case tracker.SessionVanished:
		return "its process ended without saving (killed, out of memory, or power loss)"
	case tracker.SessionSignal, tracker.SessionInterrupted:
		return "stopped by " + cmp.Or(last.Signal, "its program") + ", state saved"
	case tracker.SessionFailed:
		return cmp.Or(last.Error, "failed")
	}
	return "nobody works on it"
}
