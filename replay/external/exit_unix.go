//go:build unix && !linux

package external

import "syscall"

// killWithParent does nothing: here the program notices only the end of its stdin.
func killWithParent(*syscall.SysProcAttr) {}
