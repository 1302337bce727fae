//go:build !linux

package tracker

import "os"

// remoteName knows of no network file system.
func remoteName(*os.File) (string, error) { return "", nil }

func isLocal(*os.File) bool { return false }
