package cmdline

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// StoppedExport says of an interruption that there is nothing to go on with.
func StoppedExport(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; no file was written", replay.ErrInterrupted), "the same command begins again")
	}
	return err
}

// StoppedMerge says of an interruption what there is to know of it.
func StoppedMerge(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; what was merged stays", replay.ErrInterrupted), "the same command merges the rest")
	}
	return err
}
