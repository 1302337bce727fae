// Package newfile creates the bbolt files of new stores and of copies, and prepares them to replace another file.
package newfile

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// pageSize is the page size of new stores in bytes. With the usual 4 KiB, records of a few KB waste half a page each.
const pageSize = 16 << 10

// Initialize creates and syncs an empty store at a path where nothing exists.
func Initialize(path string, mode os.FileMode) error {
	db, err := open(path, mode, os.O_EXCL, bbolt.Options{})
	if err != nil {
		return err
	}
	err = db.Update(rows.Create) // bbolt syncs what it commits, and the file's size
	return errors.Join(err, db.Close())
}

// OpenUnsynced opens or creates a file at a path that no other process knows; with os.O_EXCL in flags, nothing may be
// there. The caller must sync it.
func OpenUnsynced(path string, flags int) (*bbolt.DB, error) {
	db, err := open(path, 0o600, flags, bbolt.Options{NoSync: true, NoGrowSync: true, NoStatistics: true})
	if err == nil {
		db.AllocSize = pageSize
	}
	return db, err
}

func open(path string, mode os.FileMode, flags int, o bbolt.Options) (*bbolt.DB, error) {
	o.PageSize, o.Timeout = pageSize, time.Second // no other process knows the path
	o.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		return os.OpenFile(path, flag|flags, mode)
	}
	return bbolt.Open(path, mode, &o)
}

// CopyOwnerTo gives the file at path the owner and group of another.
func CopyOwnerTo(path string, like os.FileInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(fileinfo.CopyOwner(f, like), f.Close())
}

// Finish truncates the space that bbolt reserved, sets the permissions of the old file, like, syncs the new
// file and returns its size. If inPlace is set, the new file also gets the old one's owner. Otherwise, if
// owners or groups differ, only the new file's owner may access it.
func Finish(path string, like os.FileInfo, inPlace bool) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	m, err := pages.Open(f, info.Size())
	if err != nil {
		return 0, fmt.Errorf("the new file: %w", err)
	}
	size = int64(m.End) * m.PageSize
	mode := like.Mode().Perm()
	if inPlace {
		err = fileinfo.CopyOwner(f, like)
	} else if !fileinfo.SameOwner(info, like) {
		mode &= 0o700
	}
	return size, errors.Join(err, f.Truncate(size), f.Chmod(mode), f.Sync())
}
