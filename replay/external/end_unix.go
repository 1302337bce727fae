//go:build unix && !linux

package external

import "syscall"

// dieWithUs: a program notices that its stdin has ended, and by nothing else.
func dieWithUs(*syscall.SysProcAttr) {}
