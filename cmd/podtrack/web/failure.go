package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/tracker"
)

// statusError is an error with the HTTP status of its answer.
type statusError struct {
	status int
	err    error
}

// Error returns the text of the wrapped error.
func (e *statusError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e *statusError) Unwrap() error { return e.err }

// statuses is the one place that maps other packages' errors to HTTP statuses. The
// first match counts.
var statuses = []struct {
	status int
	errors []error
}{
	{http.StatusServiceUnavailable,
		[]error{tracker.ErrLocked, context.Canceled, context.DeadlineExceeded, replay.ErrInterrupted}},
	{http.StatusBadRequest, []error{
		report.ErrFilter, report.ErrRef, tracker.ErrInvalid, diff.ErrMixedRefs, group.ErrFilter,
		group.ErrMeasure, group.ErrPairing, why.ErrNoState, why.ErrMethod,
	}},
	{http.StatusNotFound, []error{tracker.ErrNoStore, report.ErrNoRuns, diff.ErrNoIteration, diff.ErrNoOption}},
	{http.StatusConflict, []error{
		tracker.ErrPruned, tracker.ErrDamaged, tracker.ErrNotStore, tracker.ErrNewer,
		diff.ErrIncomparable, report.ErrDependent, group.ErrEmpty, figure.ErrEmpty, figure.ErrStates,
	}},
	{http.StatusNotFound, []error{tracker.ErrMissing}},
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	var told *statusError
	if errors.As(err, &told) {
		return told.status
	}
	for _, s := range statuses {
		for _, kind := range s.errors {
			if errors.Is(err, kind) {
				return s.status
			}
		}
	}
	if replay.IsDamage(err) {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// failure is an error as a client sees it: what failed, and how to mend it.
type failure struct {
	Error  string `json:"error"`
	Remedy string `json:"remedy"`
}

// refuse sends an error as the answer.
func (s *server) refuse(w http.ResponseWriter, err error) {
	f := failure{Error: err.Error(), Remedy: remedies.Of(err)}
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if f.Remedy == "" {
		f.Remedy = "ask again; if it stays so, the same command on the command line may say more"
	}
	a, _ := document(f) // two strings, which always encode
	s.send(w, status, a)
}
