package sweep

import "errors"

var (
	// ErrOtherSweep is the error of a folder that belongs to another sweep.
	ErrOtherSweep = errors.New("the folder belongs to another sweep")
	// ErrPart is the error of a part whose bytes do not match its seal.
	ErrPart = errors.New("the part does not match the digest in its name")
)
