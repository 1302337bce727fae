package tracker

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrRoom says that something is larger than the memory that there is for it.
// It is no damage: a larger machine can do it.
var ErrRoom = errors.New("not enough memory")

// Room refuses what needs more bytes of memory than this process can still have,
// where the system tells. It is a look ahead, and reserves nothing: a number out
// of a store or a spec shall be answered, not end the process.
func Room(need int64) error {
	if free, known := freeMemory(); known && need > free {
		return schema.Hint(fmt.Errorf("%w: it takes at least %d MiB, and %d are free", ErrRoom, need>>20, free>>20),
			"use a machine with more memory, or end what takes it here")
	}
	return nil
}
