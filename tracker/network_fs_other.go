//go:build !linux

package tracker

import "os"

// networkFileSystem returns "": network file systems are unknown on this system.
func networkFileSystem(*os.File) (string, error) { return "", nil }

func isOnLocalDisk(*os.File) bool { return false }
