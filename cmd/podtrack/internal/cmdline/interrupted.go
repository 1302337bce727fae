package cmdline

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// StoppedExport turns a canceled context into an interruption after which no file was
// written. It returns other errors as they are.
func StoppedExport(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; no file was written", replay.ErrInterrupted),
			"rerun the command to start again")
	}
	return err
}

// StoppedMerge turns a canceled context into an interruption after which the runs
// merged so far remain. It returns other errors as they are.
func StoppedMerge(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was merged stays", replay.ErrInterrupted),
			"the same command merges the rest")
	}
	return err
}
