package sweep

import "errors"

var (
	// ErrPlan says that a plan cannot be executed, or is none.
	ErrPlan = errors.New("no sound plan of a sweep")
	// ErrOtherSweep says that a folder is of another sweep.
	ErrOtherSweep = errors.New("the folder is another sweep's")
	// ErrPart says that a part is not what its seal says.
	ErrPart = errors.New("the part does not have the digest in its name")
)
