package report

import (
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// RunStatus describes how far the work on a run is, and how it ended.
type RunStatus struct {
	Run
	Position *Position  `json:"position"` // in iteration Iterations, as last saved; nil at its beginning
	Saved    *time.Time `json:"saved"`    // when work was saved last, nil if never
	Owner    *Owner     `json:"owner"`    // nil if no process works on the run

	Ended tracker.SessionState `json:"ended,omitempty"`  // how the last process on an incomplete run ended, "" if unknown
	By    string               `json:"signal,omitempty"` // signal that ended it
	Lost  *float64             `json:"lost"`             // upper bound of the seconds of work that it lost; nil if unknown
}

// Owner is the process that works on a run.
type Owner struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// LoadStatus returns how far the work on a run is.
func LoadStatus(tx *tracker.Tx, r Run) (RunStatus, error) {
	s := RunStatus{Run: r}
	sessions, err := tx.ReadSessions(r.ID)
	if err != nil {
		return s, err
	}
	if len(sessions) > 0 {
		s.setLast(tx, sessions[len(sessions)-1])
	}
	if r.Status != tracker.Running {
		return s, nil
	}
	lease, err := tx.ReadLease(r.ID)
	if lease != nil {
		s.Owner = &Owner{Host: lease.Host, PID: lease.PID, Since: time.Unix(0, lease.Since).UTC()}
	}
	return s, err
}

// setLast sets what the last session says of the run.
func (r *RunStatus) setLast(tx *tracker.Tx, last tracker.Session) {
	if r.Status != tracker.Complete && last.To == r.Iterations && last.Stage != "" {
		r.Position = &Position{last.Stage, last.Part, last.Parts}
	}
	if last.Saved != 0 {
		r.Saved = new(time.Unix(0, last.Saved).UTC())
	}
	if r.Status == tracker.Interrupted || r.Status == tracker.Failed {
		r.Ended, r.By = last.State, last.Signal
		r.Lost = new(tx.LostAtMost(last).Seconds())
	}
}
