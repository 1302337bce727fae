//go:build !linux

package tracker

import "os"

// networkFileSystem knows of no network file system.
func networkFileSystem(*os.File) (string, error) { return "", nil }

func isOnLocalDisk(*os.File) bool { return false }
