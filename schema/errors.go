package schema

import (
	"errors"
	"fmt"
)

// What can be wrong with bytes that claim to be ours.
var (
	ErrTruncated    = errors.New("bytes end too early")
	ErrOversized    = errors.New("bytes go on after the end")
	ErrNotCanonical = errors.New("bytes are not in canonical form")
	ErrVersion      = errors.New("version is not known to this program")
	ErrMalformed    = errors.New("bytes are malformed")
)

// ErrSpec marks a spec that no run can have.
var ErrSpec = errors.New("invalid spec")

// HintedError is an error that a user can mend: what failed, and the remedy.
type HintedError struct {
	Err  error
	Hint string
}

func (h *HintedError) Error() string { return h.Err.Error() }
func (h *HintedError) Unwrap() error { return h.Err }

// Hint attaches the remedy to err, formatted as by [fmt.Sprintf].
func Hint(err error, format string, args ...any) error {
	return &HintedError{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// Remedy is the outermost hint in err's chain, or "".
func Remedy(err error) string {
	var h *HintedError
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}
