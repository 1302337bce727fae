package tempfile

import "golang.org/x/sys/unix"

// LacksInodes reports whether the file system of a folder has reached its number of files, so that no file can
// be created however much space is free.
func LacksInodes(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Files > 0 && fs.Ffree == 0
}
