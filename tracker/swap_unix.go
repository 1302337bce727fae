//go:build unix && !aix && !android && !solaris

package tracker

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// canSwap says that who waits for a file's lock can tell, once he has it, that
// another file took its place.
const canSwap = true

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// inherit gives a new file the owner, the group and the mode of another.
func inherit(f *os.File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	mine, ok1 := info.Sys().(*syscall.Stat_t)
	theirs, ok2 := like.Sys().(*syscall.Stat_t)
	if ok1 && ok2 && (mine.Uid != theirs.Uid || mine.Gid != theirs.Gid) {
		if err := f.Chown(int(theirs.Uid), int(theirs.Gid)); err != nil {
			return fmt.Errorf("only who owns the file can replace it: %w", err)
		}
	}
	return f.Chmod(like.Mode().Perm())
}
