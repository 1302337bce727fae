//go:build !linux

package tracker

import "os"

// networkFileSystem returns "": network file systems are unknown on this system.
func networkFileSystem(*os.File) (string, error) { return "", nil }

// isOnLocalDisk returns false: file systems are unknown on this system.
func isOnLocalDisk(*os.File) bool { return false }
