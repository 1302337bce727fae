package api

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/tracker"
)

// listedRun is a run as the page's list shows it.
type listedRun struct {
	report.Run
	Reason string                `json:"reason,omitempty"` // why an incomplete run is not running
	Places []listedPlace         `json:"places,omitempty"` // in studies
	Series map[string][]*float64 `json:"series,omitempty"` // by measure that was asked for, see report.LoadSeries
}

// listedPlace is a place of a run in a study.
type listedPlace struct {
	Study   string `json:"study"`
	Setting string `json:"setting"`
	Variant string `json:"variant"`
}

// maxSeries is how many values a series has at most: more than the picture of it has pixels to spare for.
const maxSeries = 40

// readListed returns the runs as the page's list shows them, with series of the measures, and if own is true with those
// of each run's external stage.
func readListed(tx *tracker.Tx, runs []report.Run, measures []string, own bool) ([]listedRun, error) {
	listed := make([]listedRun, len(runs))
	for i, run := range runs {
		var err error
		if listed[i], err = readRow(tx, run); err != nil {
			return nil, err
		}
		names := measures
		if own {
			names = slices.Concat(measures, run.Spec.ExternalMeasureNames())
		}
		if len(names) > 0 {
			listed[i].Series = report.LoadSeries(tx, run, names, maxSeries)
		}
	}
	return listed, nil
}

// describeRow returns what listeners are told of a run.
func describeRow(tx *tracker.Tx, run report.Run) (any, error) { return readRow(tx, run) }

// readRow returns a run as lists show it, without series.
func readRow(tx *tracker.Tx, run report.Run) (row listedRun, err error) {
	row.Run = run
	places, err := tx.MembershipsOf(run.Source)
	if err != nil {
		return row, err
	}
	for _, p := range places {
		row.Places = append(row.Places, listedPlace{p.Study, p.Setting.Name, p.Variant.Name})
	}
	row.Reason, err = readReason(tx, run)
	return row, err
}

// readReason returns why an incomplete run is not running, "" for other runs.
func readReason(tx *tracker.Tx, run report.Run) (string, error) {
	switch run.Status {
	case tracker.Failed:
		return run.Failure, nil
	case tracker.Interrupted:
		sessions, err := tx.ReadSessions(run.ID)
		if err != nil || len(sessions) == 0 {
			return "no process works on it", err
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
	return "no process works on it"
}

// why returns the document of podtrack why --json.
func (s *server) why(r *request) (any, error) {
	ref, err := pathRef(r)
	if err != nil {
		return nil, err
	}
	run, err := s.open(r, ref.Run)
	if err != nil {
		return nil, err
	}
	return why.Explain(r.Context(), run, why.Question{Ref: ref})
}
