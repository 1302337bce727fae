//go:build unix && !aix && !android && !solaris

package fileinfo

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/podtrack/podtrack/schema"
)

// CountLinks returns the number of hard links of a file.
func CountLinks(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// IsMine reports whether a file belongs to the user of this process.
func IsMine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// SameUser reports whether two files belong to the same user. Either may be nil.
func SameUser(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return false
	}
	one, ok1 := a.Sys().(*syscall.Stat_t)
	other, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && one.Uid == other.Uid
}

// SameOwner reports whether two files have the same owner and group.
func SameOwner(a, b fs.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && x.Uid == y.Uid && x.Gid == y.Gid
}

// CopyOwner gives a new file the owner and group of another.
func CopyOwner(f *os.File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	theirs, ok := like.Sys().(*syscall.Stat_t)
	if !ok || SameOwner(info, like) {
		return nil
	}
	if err := f.Chown(int(theirs.Uid), int(theirs.Gid)); err != nil {
		return schema.Hint(fmt.Errorf("cannot give the new file the owner and group of the old one: %w", err),
			"run the command as the owner of the file, or work on a copy of it")
	}
	return nil
}
