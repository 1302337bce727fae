//go:build unix

package e2e

import (
	"os"
	"syscall"
)

// Sigterm asks a process to end.
var Sigterm os.Signal = syscall.SIGTERM
