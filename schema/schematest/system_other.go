//go:build !unix

package schematest

import (
	"testing"
	"time"
)

// NeedsOpenFiles skips nothing: this system has no limit on open files that a process can ask for.
func NeedsOpenFiles(testing.TB, uint64) {}

// ProcessorTime returns 0: this system is not asked.
func ProcessorTime() time.Duration { return 0 }
