package wire

import "errors"

// Errors of reading bytes that this package would not have written.
var (
	ErrTruncated    = errors.New("bytes end too early")
	ErrOversized    = errors.New("bytes go on after the end")
	ErrNotCanonical = errors.New("bytes are not in canonical form")
	ErrVersion      = errors.New("version is not known to this program")
	ErrMalformed    = errors.New("bytes are malformed")
)

// ErrNoEncoding is the error of writing a number that is not finite.
var ErrNoEncoding = errors.New("no encoding")
