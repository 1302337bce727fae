//go:build !linux

package filelock

import "os"

// NetworkFileSystem returns "": network file systems are unknown on this system.
func NetworkFileSystem(*os.File) (string, error) { return "", nil }

// OnLocalDisk returns false: file systems are unknown on this system.
func OnLocalDisk(*os.File) bool { return false }
