package tempfile

import "golang.org/x/sys/unix"

// LacksInodes reports whether the file system of a folder counts its files, and can have no other one whatever room it
// has for bytes.
func LacksInodes(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Files > 0 && fs.Ffree == 0
}
