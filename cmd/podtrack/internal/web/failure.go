package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// statusError is an error with the HTTP status of its answer.
type statusError struct {
	error
	status int
}

// Unwrap returns the wrapped error.
func (s statusError) Unwrap() error { return s.error }

// Errorf returns an error with the HTTP status of its answer.
func Errorf(status int, format string, args ...any) error {
	return statusError{fmt.Errorf(format, args...), status}
}

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
		group.ErrBy, group.ErrMeasure, group.ErrOneGroup, group.ErrPairing, why.ErrMethod,
	}},
	{http.StatusNotFound, []error{tracker.ErrNoStore, report.ErrNoRuns, recorded.ErrNoIteration, report.ErrNoOption,
		report.ErrNoOptionNumber}},
	{http.StatusConflict, []error{
		tracker.ErrPruned, tracker.ErrDamaged, tracker.ErrNotStore, tracker.ErrFormat,
		diff.ErrIncomparable, why.ErrTooLong, report.ErrDependent, group.ErrEmpty, group.ErrCurve, figure.ErrEmpty,
		figure.ErrStates, memory.ErrNotEnough,
	}},
	{http.StatusNotFound, []error{tracker.ErrMissing}},
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	if known, ok := errors.AsType[statusError](err); ok {
		return known.status
	}
	for _, s := range statuses {
		for _, kind := range s.errors {
			if errors.Is(err, kind) {
				return s.status
			}
		}
	}
	if recorded.IsDamage(err) {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// clientError marks an error as the client's (400 Bad Request) if it has a remedy and no
// status of its own: podtrack plot and evaluate give such errors for wrong arguments.
func clientError(err error) error {
	if statusOf(err) == http.StatusInternalServerError && schema.Remedy(err) != "" {
		return statusError{err, http.StatusBadRequest}
	}
	return err
}

// failure is an error as a client sees it: what failed, and how to mend it.
type failure struct {
	Error  string `json:"error"`
	Remedy string `json:"remedy"`
}

// newFailure returns an error as a client sees it: valid UTF-8, in which the middle of what a request says is left out
// if it is very long.
func newFailure(err error) failure {
	text := textfmt.ShortenEchoes(err.Error(), textfmt.MostEchoed)
	return failure{Error: strings.ToValidUTF8(text, "�"), Remedy: cmp.Or(hints.Of(err),
		"retry; if it fails again, the same command on the command line may say more")}
}
