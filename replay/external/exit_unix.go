//go:build unix && !linux

package external

import "syscall"

// killWithParent does nothing: on this system the program notices only the end of its stdin.
func killWithParent(*syscall.SysProcAttr) {}
