//go:build unix

package main

import (
	"os"
	"syscall"
)

var sigterm os.Signal = syscall.SIGTERM
