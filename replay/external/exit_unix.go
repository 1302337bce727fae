//go:build unix && !linux

package external

import "syscall"

// killWithParent: a program notices that its stdin has ended, and by nothing else.
func killWithParent(*syscall.SysProcAttr) {}
