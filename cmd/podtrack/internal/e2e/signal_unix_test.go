//go:build unix

package e2e

import (
	"os"
	"syscall"
)

var sigterm os.Signal = syscall.SIGTERM
