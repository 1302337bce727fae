//go:build unix

package web

import "syscall"

// fileLimit returns how many files the process may have open at once.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1 << 10
	}
	return uint64(limit.Cur)
}
