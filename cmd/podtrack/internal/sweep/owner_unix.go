//go:build unix

package sweep

import (
	"io/fs"
	"os"
	"syscall"
)

// writableByMode reports that a file's mode tells who can write to it.
const writableByMode = true

// isOwnFile reports whether a file belongs to this user or to root.
func isOwnFile(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
