//go:build !unix || aix || android || solaris

package fileinfo

import (
	"io/fs"
	"os"
)

// CountLinks returns 1: links are not counted on this system.
func CountLinks(fs.FileInfo) uint64 { return 1 }

// IsMine returns false: owners are unknown on this system.
func IsMine(fs.FileInfo) bool { return false }

// SameUser returns false: owners are unknown on this system.
func SameUser(_, _ fs.FileInfo) bool { return false }

// SameOwner returns true: files have no owner on this system that could differ.
func SameOwner(_, _ fs.FileInfo) bool { return true }

// CopyOwner does nothing: owners are unknown on this system.
func CopyOwner(*os.File, fs.FileInfo) error { return nil }
