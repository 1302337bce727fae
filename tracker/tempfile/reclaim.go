package tempfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/process"
)

// Leftovers lists the files and folders that killed processes left beside a file.
type Leftovers struct {
	Removed   []string        `json:"removed_leftovers"`
	Untouched []UntouchedFile `json:"untouched_leftovers"`
}

// An UntouchedFile may be a leftover, but cannot be proved to be one.
type UntouchedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (u UntouchedFile) String() string { return u.Path + ": " + u.Why }

var (
	errAtWork         = errors.New("its process is running")
	errUnexpectedForm = errors.New("it is not a folder as podtrack makes them")
)

// Reclaim removes the folders that killed processes left beside the target, which must be a file of
// the expected type. A folder is removed if all of the following holds:
//
//   - its name is that of a [Dir] for the target, and its marker repeats the name;
//   - it is a folder of this user, not a link, to which no other user can write, and contains
//     nothing but the marker and the content, both regular files;
//   - its process has ended: the marker is not locked, and the process in the name is gone,
//     or is of another boot and the file system is local.
//
// A hard link to the target's own file in such a folder is always removed. Nothing else is touched.
func Reclaim(target string) Leftovers {
	own, _ := os.Lstat(target)
	digest := targetDigest(target)
	return reclaimIn(filepath.Dir(target), own, func(name folderName) bool { return name.target == digest }, nil)
}

// ReclaimBeside removes what [Reclaim] removes, and the folders for other targets that were made for one of the
// purposes. It does not list those of them that it leaves: they may belong to other users.
func ReclaimBeside(target string, purposes ...string) Leftovers {
	l, digest := Reclaim(target), targetDigest(target)
	l.Removed = append(l.Removed, reclaimIn(filepath.Dir(target), nil, func(name folderName) bool {
		return name.target != digest && slices.Contains(purposes, name.purpose)
	}, nil).Removed...)
	return l
}

// reclaimIn removes the folders in dir that of selects, each after a call of before, unless that is nil.
func reclaimIn(dir string, own fs.FileInfo, of func(folderName) bool, before func(path string)) Leftovers {
	l := EmptyLeftovers()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return l
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, ok := parseFolderName(e.Name())
		switch {
		case own != nil && e.Name() == own.Name():
		case ok && of(name):
			l.add(path, name.reclaim(path, own, before))
		}
	}
	return l
}

// EmptyLeftovers returns Leftovers with empty, non-nil lists.
func EmptyLeftovers() Leftovers { return Leftovers{Removed: []string{}, Untouched: []UntouchedFile{}} }

func (l *Leftovers) add(path string, err error) {
	switch {
	case err == nil:
		l.Removed = append(l.Removed, path)
	case !errors.Is(err, errAtWork) && !errors.Is(err, fs.ErrNotExist):
		l.Untouched = append(l.Untouched, UntouchedFile{path, err.Error()})
	}
}

// Resume returns a new [Dir] like [New], and moves into it the content that a killed process left for the same
// purpose and target. inherited reports whether it found any.
func Resume(target, purpose string) (t *Dir, inherited bool, err error) {
	if t, err = New(target, purpose); err != nil {
		return nil, false, err
	}
	reclaimIn(filepath.Dir(target), nil, func(name folderName) bool {
		isOther := name.token != t.name.token
		return !inherited && isOther && name.purpose == purpose && name.target == t.name.target
	}, func(path string) {
		inherited = os.Rename(filepath.Join(path, contentFile), t.ContentPath()) == nil
	})
	return t, inherited, nil
}

// reclaim removes the folder of that name if its process has certainly ended, after a call of before, unless that is
// nil. own is the target's file, or nil.
func (f folderName) reclaim(path string, own fs.FileInfo, before func(path string)) error {
	t, err := openDir(path)
	if err != nil {
		return err
	}
	defer t.Close()
	inside, err := readDir(t)
	if err != nil {
		return err
	}
	marker, content := inside[markerFile], inside[contentFile]
	if content != nil && !fileinfo.IsMine(content) && !fileinfo.SameUser(content, own) {
		return errUnexpectedForm
	}
	unlock, err := f.lockLeftBehind(t, marker, content, own)
	if err != nil {
		return err
	}
	defer unlock()
	if before != nil {
		before(path)
	}
	if err := removeFrom(t, contentFile); err != nil {
		return err
	}
	fault.At("reclaim.content")
	if err := removeFrom(t, markerFile); err != nil {
		return err
	}
	fault.At("reclaim.marker")
	return os.Remove(path) // fails unless it is empty
}

func removeFrom(t *os.Root, name string) error {
	if err := t.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// openDir opens a folder of this user that no other user can write to.
func openDir(path string) (*os.Root, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !fileinfo.IsMine(info) {
		return nil, errUnexpectedForm
	}
	t, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if there, err := t.Stat("."); err != nil || !os.SameFile(info, there) {
		_ = t.Close()
		return nil, errUnexpectedForm
	}
	return t, nil
}

// readDir returns the marker and the content, if they exist. Anything else in the folder is an error.
func readDir(t *os.Root) (map[string]fs.FileInfo, error) {
	entries, err := fs.ReadDir(t.FS(), ".")
	if err != nil {
		return nil, err
	}
	inside := map[string]fs.FileInfo{}
	for _, e := range entries {
		info, err := t.Lstat(e.Name())
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() || e.Name() != markerFile && e.Name() != contentFile {
			return nil, errUnexpectedForm
		}
		inside[e.Name()] = info
	}
	return inside, nil
}

// lockLeftBehind proves that the folder's process has ended, and locks its marker until unlock is called. If
// the process was killed before it wrote the marker, or while it removed it, there is no content, and only the
// name is checked.
func (f folderName) lockLeftBehind(t *os.Root, marker, content, own fs.FileInfo) (unlock func(), err error) {
	if marker == nil || marker.Size() == 0 {
		if content != nil {
			return nil, errUnexpectedForm
		}
		return func() {}, f.checkEnded(nil)
	}
	file, err := t.OpenFile(markerFile, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err = f.checkMarker(t, file, content, own); err == nil {
		err = f.checkEnded(file)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

// checkMarker compares the marker with the name, and locks it, which fails while its process runs.
func (f folderName) checkMarker(t *os.Root, marker *os.File, content, own fs.FileInfo) error {
	locked := filelock.TryLock(marker)
	want := markerText(f.String())
	text, err := io.ReadAll(io.LimitReader(marker, int64(len(want))+1))
	if err != nil {
		return err
	}
	if info, err := marker.Stat(); err != nil || string(text) != want || !fileinfo.IsMine(info) {
		if locked != nil {
			return errAtWork // it is being written
		}
		return errUnexpectedForm
	}
	if content != nil && own != nil && os.SameFile(content, own) {
		err = removeFrom(t, contentFile)
	}
	if locked != nil {
		return errors.Join(err, errAtWork)
	}
	return err
}

// checkEnded returns an error unless the process in the name has ended. marker is the locked marker, or nil.
func (f folderName) checkEnded(marker *os.File) error {
	switch {
	case process.Self().Boot != "" && f.boot == bootDigest():
		if !process.Gone(f.pid, f.start) {
			return errAtWork
		}
		return nil
	case marker != nil && filelock.OnLocalDisk(marker):
		return nil
	}
	return fmt.Errorf("process %d ran on another machine or boot and may still be running", f.pid)
}
