package outlook

import (
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// RunStatus describes how far the work on a run is.
type RunStatus struct {
	report.Run
	Position *report.Position `json:"position"`  // in iteration Iterations, as last saved; nil at its beginning
	Done     float64          `json:"done"`      // fraction of the target, from 0 to 1; at most, if Left is at least
	Left     *float64         `json:"left"`      // estimated seconds of work to the target, nil if unknown
	LeftFrom Evidence         `json:"left_from"` // evidence for the estimates, "" without any
	Saved    *time.Time       `json:"saved"`     // when work was saved last, nil if never
	Owner    *Owner           `json:"owner"`     // nil if no process works on the run

	Ended tracker.SessionState `json:"ended,omitempty"`  // how the last process on an incomplete run ended, "" if unknown
	By    string               `json:"signal,omitempty"` // signal that ended it
	Lost  *float64             `json:"lost"`             // upper bound of the seconds of work that it lost; nil if unknown
	Plans []Progress           `json:"plans,omitempty"`  // of its tags, those that are not complete
}

// Owner is the process that works on a run.
type Owner struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// LoadStatus returns how far the work on each run is. all lists the runs of the store, newest first: the time left is
// estimated from the recorded costs of those that differ only in the seed.
func LoadStatus(tx *tracker.Tx, runs, all []report.Run) ([]RunStatus, error) {
	e := costEstimator{tx: tx, all: all}
	statuses := make([]RunStatus, 0, len(runs))
	for _, r := range runs {
		s, err := e.loadStatus(r)
		if err != nil {
			return nil, r.Failed(r.Iterations, err)
		}
		statuses = append(statuses, s)
	}
	return statuses, nil
}

func (c *costEstimator) loadStatus(r report.Run) (RunStatus, error) {
	s := RunStatus{Run: r}
	sessions, err := c.tx.ReadSessions(r.ID)
	if err != nil {
		return s, err
	}
	var last tracker.Session
	if len(sessions) > 0 {
		last = sessions[len(sessions)-1]
	}
	if r.Status != tracker.Complete && last.To == r.Iterations && last.Stage != "" {
		s.Position = &report.Position{Stage: last.Stage, Part: last.Part, Parts: last.Parts}
	}
	if last.Saved != 0 {
		saved := time.Unix(0, last.Saved).UTC()
		s.Saved = &saved
	}
	if r.Status == tracker.Interrupted || r.Status == tracker.Failed {
		s.Ended, s.By = last.State, last.Signal
		if len(sessions) > 0 {
			lost := c.tx.LostAtMost(last).Seconds()
			s.Lost = &lost
		}
	}
	if r.Status == tracker.Running {
		if s.Owner, err = c.loadOwner(r.ID); err != nil {
			return s, err
		}
	}
	within, left, from, err := c.estimate(r, s.Position, last)
	s.Done, s.Left, s.LeftFrom = min(1, (float64(r.Iterations)+within)/float64(max(r.Target, 1))), left, from
	return s, err
}

func (c *costEstimator) loadOwner(id schema.Digest) (*Owner, error) {
	l, err := c.tx.ReadLease(id)
	if l == nil || err != nil {
		return nil, err
	}
	return &Owner{Host: l.Host, PID: l.PID, Since: time.Unix(0, l.Since).UTC()}, nil
}
