package tempfile

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/process"
)

// A Dir is a folder in which one process creates one file. It is private to its user. Its name
// identifies the process and the purpose; a marker in it repeats the name and is locked while the
// process lives. By both a later process can prove that the folder is a leftover: see [Reclaim].
//
//	.podtrack-temp-PURPOSE-TARGET-BOOT-PID-START-TOKEN/owner      the marker
//	.podtrack-temp-PURPOSE-TARGET-BOOT-PID-START-TOKEN/content    the file
type Dir struct {
	name   folderName
	path   string
	marker *os.File
}

// The files of a Dir.
const (
	markerFile  = "owner"
	contentFile = "content"
)

// New creates a folder beside target, the path for which the content is made. purpose is one
// word of lower-case letters. The caller must call [Dir.Remove].
func New(target, purpose string) (*Dir, error) {
	dir, _ := filepath.Split(target) // as it is written: x/.. needs x to exist, although cleaning would remove it
	if info, err := os.Stat(cmp.Or(dir, ".")); err != nil || !info.IsDir() {
		dir = strings.TrimSuffix(dir, string(filepath.Separator))
		return nil, schema.Hint(fmt.Errorf("no folder %s", dir), "mkdir -p %s", textfmt.ShellPath(dir))
	}
	name := newFolderName(target, purpose)
	t := &Dir{name: name, path: filepath.Join(dir, name.String())}
	if err := os.Mkdir(t.path, 0o700); err != nil {
		return nil, err
	}
	fault.At("tempdir.made")
	if err := errors.Join(os.Chmod(t.path, 0o700), t.mark()); err != nil { // the umask may have cleared some bits
		return nil, errors.Join(fmt.Errorf("mark %s: %w", t.path, err), t.Remove())
	}
	fault.At("tempdir.marked")
	return t, nil
}

// mark writes the marker. It locks it while it is still empty, and leaves it empty if files cannot be locked:
// an empty marker proves nothing.
func (d *Dir) mark() (err error) {
	d.marker, err = os.OpenFile(filepath.Join(d.path, markerFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if filelock.TryLock(d.marker) != nil {
		return nil
	}
	_, err = d.marker.WriteString(markerText(d.name.String()))
	return errors.Join(err, d.marker.Sync())
}

// ContentPath returns the path of the content. The caller creates that file, and moves it to its final place.
func (d *Dir) ContentPath() string { return filepath.Join(d.path, contentFile) }

// Remove removes the folder, and the content unless it was moved.
func (d *Dir) Remove() error {
	if d.marker != nil {
		_ = d.marker.Close()
	}
	for _, path := range []string{d.ContentPath(), filepath.Join(d.path, markerFile), d.path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// MoveTo moves the content, which must be synced, to path. It replaces an existing file only if replace is set. Until
// the folder is synced a power loss can undo the move; if the sync fails, a new file is removed again.
func (d *Dir) MoveTo(path string, replace bool) error {
	give := os.Link
	if replace {
		give = os.Rename
	}
	if err := give(d.ContentPath(), path); err != nil {
		return err
	}
	err := SyncDir(filepath.Dir(path))
	if err != nil && !replace {
		_ = os.Remove(path)
	}
	return err
}

// SyncDir syncs a folder, so that its entries survive a crash, on systems that can sync one.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "aix" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func markerText(name string) string {
	return "podtrack temporary folder, version 1\n" + name + "\n" +
		"Its content is unfinished. When the process that made it has ended, podtrack removes it.\n"
}

type folderName struct {
	purpose string
	target  string // digest of the target's name in its folder
	boot    string // digest of what makes pid and start identify a process
	pid     int
	start   uint64
	token   string // random
}

func newFolderName(target, purpose string) folderName {
	var token [8]byte
	_, _ = rand.Read(token[:]) // never fails
	here := process.Self()
	return folderName{purpose, targetDigest(target), bootDigest(), here.PID, here.Start, hex.EncodeToString(token[:])}
}

func (f folderName) String() string {
	return fmt.Sprintf(".podtrack-temp-%s-%s-%s-%d-%d-%s", f.purpose, f.target, f.boot, f.pid, f.start, f.token)
}

var folderNameForm = textfmt.Pattern(
	`^\.podtrack-temp-([a-z]+)-([0-9a-f]{16})-([0-9a-f]{16})-([0-9]+)-([0-9]+)-([0-9a-f]{16})$`)

// parseFolderName inverts [folderName.String]. It reports in ok whether the name is one of a Dir.
func parseFolderName(name string) (n folderName, ok bool) {
	m := folderNameForm().FindStringSubmatch(name)
	if m == nil {
		return n, false
	}
	pid, err1 := strconv.Atoi(m[4])
	start, err2 := strconv.ParseUint(m[5], 10, 64)
	n = folderName{m[1], m[2], m[3], pid, start, m[6]}
	return n, err1 == nil && err2 == nil && n.String() == name
}

func targetDigest(target string) string { return shortDigest(filepath.Base(target)) }

func bootDigest() string { return shortDigest(process.Self().Boot) }

func shortDigest(text string) string {
	name := schema.Name([]byte(text))
	return name.String()[:16]
}

// ContentOf returns the path of the content in a folder. ok reports whether the folder's name is that of a
// [Dir] for the target.
func ContentOf(folder, target string) (content string, ok bool) {
	name, ok := parseFolderName(filepath.Base(folder))
	return filepath.Join(folder, contentFile), ok && name.target == targetDigest(target)
}
