//go:build !unix

package schematest

import "testing"

// NeedsOpenFiles skips nothing: this system has no limit on open files that a process can ask for.
func NeedsOpenFiles(testing.TB, uint64) {}
