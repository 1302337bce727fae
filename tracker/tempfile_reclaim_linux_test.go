package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/process"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// folderName has the parts of a temporary folder's name.
type folderName struct {
	purpose, target, boot, pid string
	start                      uint64
	token                      string
}

func (f folderName) String() string {
	return fmt.Sprintf(".podtrack-temp-%s-%s-%s-%s-%d-%s", f.purpose, f.target, f.boot, f.pid, f.start, f.token)
}

// newFolderName returns the name that this process gives to a folder.
func newFolderName(t testing.TB, target, purpose string) folderName {
	t.Helper()
	temp, err := tempfile.New(target, purpose)
	OK(t, err)
	OK(t, temp.Remove())
	part := strings.Split(filepath.Base(filepath.Dir(temp.ContentPath())), "-")
	start, err := strconv.ParseUint(part[6], 10, 64)
	OK(t, err)
	return folderName{part[2], part[3], part[4], part[5], start, part[7]}
}

// The files of a temporary folder.
const (
	markerFile  = "owner"
	contentFile = "content"
)

func markerOf(name string) string {
	return "podtrack temporary folder, version 1\n" + name + "\n" +
		"Its content is unfinished. When the process that made it has ended, podtrack removes it.\n"
}

// deadName returns the name of a folder of a process with this one's ID and another start time,
// which has therefore ended.
func deadName(t testing.TB, target, purpose string) folderName {
	t.Helper()
	n := newFolderName(t, target, purpose)
	n.start = 1
	return n
}

// plantTempDir makes a folder as a killed process leaves it, and returns its path.
func plantTempDir(t testing.TB, dir string, n folderName) string {
	t.Helper()
	path := filepath.Join(dir, n.String())
	OK(t, os.Mkdir(path, 0o700))
	OK(t, os.WriteFile(filepath.Join(path, markerFile), []byte(markerOf(n.String())), 0o600))
	OK(t, os.WriteFile(filepath.Join(path, contentFile), []byte("half a file"), 0o600))
	return path
}

// treeOf returns the contents of files and the targets of links below a folder.
func treeOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	OK(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		what := e.Type().String()
		switch {
		case e.Type().IsRegular():
			what = string(ReadFile(t, path))
		case e.Type()&fs.ModeSymlink != 0:
			what, err = os.Readlink(path)
		}
		tree[strings.TrimPrefix(path, dir)] = what
		return err
	}))
	return tree
}

// age makes everything below a folder two days old.
func age(t testing.TB, dir string) {
	t.Helper()
	old := []unix.Timespec{unix.NsecToTimespec(time.Now().Add(-48 * time.Hour).UnixNano())}
	old = append(old, old[0])
	OK(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, unix.UtimesNanoAt(unix.AT_FDCWD, path, old, unix.AT_SYMLINK_NOFOLLOW))
	}))
}

// TestReclaimed: these folders are provably leftovers.
func TestReclaimed(t *testing.T) {
	t.Parallel()
	elsewhere := func(n folderName) folderName { n.boot = strings.Repeat("ab", 8); return n }
	for name, plant := range map[string]func(t *testing.T, s *tracker.Store) string{
		"of a process that was killed": func(t *testing.T, s *tracker.Store) string {
			return plantTempDir(t, filepath.Dir(s.Path()), deadName(t, s.Path(), "compact"))
		},
		"whose content is renamed": func(t *testing.T, s *tracker.Store) string {
			path := plantTempDir(t, filepath.Dir(s.Path()), deadName(t, s.Path(), "compact"))
			OK(t, os.Remove(filepath.Join(path, contentFile)))
			return path
		},
		"in which nothing is yet": func(t *testing.T, s *tracker.Store) string {
			path := filepath.Join(filepath.Dir(s.Path()), deadName(t, s.Path(), "create").String())
			OK(t, os.Mkdir(path, 0o700))
			return path
		},
		"whose marker is empty yet": func(t *testing.T, s *tracker.Store) string {
			path := filepath.Join(filepath.Dir(s.Path()), deadName(t, s.Path(), "create").String())
			OK(t, os.Mkdir(path, 0o700))
			OK(t, os.WriteFile(filepath.Join(path, markerFile), nil, 0o600))
			return path
		},
		"of a machine that was started again": func(t *testing.T, s *tracker.Store) string {
			return plantTempDir(t, filepath.Dir(s.Path()), elsewhere(newFolderName(t, s.Path(), "repair")))
		},
		"with a second name of the store": func(t *testing.T, s *tracker.Store) string {
			path := plantTempDir(t, filepath.Dir(s.Path()), deadName(t, s.Path(), "create"))
			OK(t, os.Remove(filepath.Join(path, contentFile)))
			OK(t, os.Link(s.Path(), filepath.Join(path, contentFile)))
			return path
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := NewStoreWithRun(t, "record")
			file, err := os.Open(s.Path())
			OK(t, err)
			defer file.Close()
			if !filelock.OnLocalDisk(file) {
				schematest.SkipLacking(t, "the temporary folder is on no file system that is known to be of one machine")
			}
			path := plant(t, s)
			c := compactStore(t, s)
			if diff := cmp.Diff(tempfile.Leftovers{Removed: []string{path}, Untouched: []tempfile.UntouchedFile{}},
				c.Leftovers); diff != "" {
				t.Error(diff)
			}
			Equal(t, "files", strings.Join(ListFiles(t, s), " "), "podtrack.db")
		})
	}
}

// TestNotReclaimed: each of these folders differs from a leftover in one respect, and is not touched.
func TestNotReclaimed(t *testing.T) {
	t.Parallel()
	type planted struct {
		name string
		told bool // of as something that may be a leftover
		make func(t *testing.T, dir string, n folderName)
	}
	whole := func(change func(folderName) folderName) func(*testing.T, string, folderName) {
		return func(t *testing.T, dir string, n folderName) { plantTempDir(t, dir, change(n)) }
	}
	changed := func(change func(path string) error) func(*testing.T, string, folderName) {
		return func(t *testing.T, dir string, n folderName) { OK(t, change(plantTempDir(t, dir, n))) }
	}
	called := func(name func(folderName) string) func(*testing.T, string, folderName) {
		return func(t *testing.T, dir string, n folderName) {
			OK(t, os.Rename(plantTempDir(t, dir, n), filepath.Join(dir, name(n))))
		}
	}
	write := func(name, text string) func(path string) error {
		return func(path string) error { return os.WriteFile(filepath.Join(path, name), []byte(text), 0o600) }
	}
	other := newFolderName(t, filepath.Join(t.TempDir(), "other.db"), "compact")
	all := []planted{
		{"of this process", false, whole(func(n folderName) folderName { n.start = process.Self().Start; return n })},
		{"of another store", false, whole(func(n folderName) folderName { n.target = other.target; return n })},
		{"of no marker", true, changed(func(path string) error { return os.Remove(filepath.Join(path, markerFile)) })},
		{"of an empty marker", true, changed(write(markerFile, ""))},
		{"of a marker of more", true, func(t *testing.T, dir string, n folderName) {
			OK(t, write(markerFile, markerOf(n.String())+"x")(plantTempDir(t, dir, n)))
		}},
		{"of a marker of another", true, changed(write(markerFile, markerOf(deadName(t, "x", "compact").String())))},
		{"renamed", true, called(func(n folderName) string { n.token = "0123456789abcdef"; return n.String() })},
		{"with a file of somebody's", true, changed(write("notes", "mine"))},
		{"with a folder as content", true, changed(func(path string) error {
			return errors.Join(os.Remove(filepath.Join(path, contentFile)),
				os.Mkdir(filepath.Join(path, contentFile), 0o700))
		})},
		{"with a link as content", true, changed(func(path string) error {
			return errors.Join(os.Remove(filepath.Join(path, contentFile)),
				os.Symlink("/", filepath.Join(path, contentFile)))
		})},
		{"with a link as marker", true, changed(func(path string) error {
			marker := filepath.Join(path, markerFile)
			return errors.Join(os.Rename(marker, path+".marker"), os.Symlink(path+".marker", marker))
		})},
		{"that others can write to", true, changed(func(path string) error { return os.Chmod(path, 0o777) })},
		{"a file", true, func(t *testing.T, dir string, n folderName) {
			OK(t, os.WriteFile(filepath.Join(dir, n.String()), []byte(markerOf(n.String())), 0o600))
		}},
		{"a link", true, func(t *testing.T, dir string, n folderName) {
			OK(t, os.Symlink(plantTempDir(t, t.TempDir(), n), filepath.Join(dir, n.String())))
		}},
		{"of a longer name", false, called(func(n folderName) string { return n.String() + "0" })},
		{"of a name with zeros", false, called(func(n folderName) string {
			return strings.Replace(n.String(), "-1-", "-01-", 1)
		})},
		{"of a name with an extension", false, called(func(n folderName) string { return n.String() + ".db" })},
		{"of capital digits", false, called(func(n folderName) string { return n.String()[:len(n.String())-1] + "A" })},
		{"a store", false, func(t *testing.T, dir string, _ folderName) {
			OK(t, tracker.New(filepath.Join(dir, ".podtrack-main.db"), tracker.Options{}).Create(t.Context()))
		}},
		{"a folder", false, func(t *testing.T, dir string, _ folderName) {
			OK(t, os.Mkdir(filepath.Join(dir, ".podtrack-notes"), 0o700))
			OK(t, os.WriteFile(filepath.Join(dir, ".podtrack-notes", "a"), []byte("mine"), 0o600))
		}},
	}
	if os.Geteuid() == 0 {
		all = append(all, planted{"of another user", true, changed(func(path string) error {
			return os.Chown(path, 65534, 65534)
		})},
			planted{"with a marker of another user's", true, changed(func(path string) error {
				return os.Chown(filepath.Join(path, markerFile), 65534, 65534)
			})},
			planted{"with a content of another user's", true, changed(func(path string) error {
				return os.Chown(filepath.Join(path, contentFile), 65534, 65534)
			})})
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			s, _, _ := NewStoreWithRun(t, "record")
			dir := filepath.Dir(s.Path())
			p.make(t, dir, deadName(t, s.Path(), "compact"))
			age(t, dir)
			before := treeOf(t, dir)
			c := compactStore(t, s)
			after := treeOf(t, dir)
			after["/podtrack.db"] = before["/podtrack.db"]
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
			Equal(t, "removed", len(c.Removed), 0)
			Equal(t, "told", len(c.Untouched) == 1, p.told)
		})
	}
}

// TestNotReclaimedElsewhere: the process may run on another machine that shares the file system,
// and a process whose marker is locked has not ended.
func TestNotReclaimedElsewhere(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	n := newFolderName(t, s.Path(), "compact")
	n.boot = strings.Repeat("ab", 8)
	path := plantTempDir(t, filepath.Dir(s.Path()), n)

	marker, err := os.OpenFile(filepath.Join(path, markerFile), os.O_RDWR, 0)
	OK(t, err)
	OK(t, filelock.TryLock(marker))
	Equal(t, "removed while it is locked", len(compactStore(t, s).Removed), 0)
	OK(t, marker.Close())

	defer func(real func(*os.File) (int64, error)) { filelock.FileSystemMagic = real }(filelock.FileSystemMagic)
	filelock.FileSystemMagic = func(*os.File) (int64, error) { return unix.NFS_SUPER_MAGIC, nil }
	c := compactStore(t, s)
	Equal(t, "removed from a network file system", len(c.Removed), 0)
	Equal(t, "told", len(c.Untouched), 1)

	filelock.FileSystemMagic = func(*os.File) (int64, error) { return unix.EXT4_SUPER_MAGIC, nil }
	Equal(t, "removed from a local one", strings.Join(compactStore(t, s).Removed, " "), path)
}

// TestReclaimWithoutProof: nothing is removed beside a file that turns out to be no store.
func TestReclaimWithoutProof(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := tracker.New(filepath.Join(dir, "paper.pdf"), tracker.Options{})
	OK(t, os.WriteFile(s.Path(), slices.Concat([]byte("%PDF-1.7\n"), make([]byte, 100_000)), 0o600))
	plantTempDir(t, dir, deadName(t, s.Path(), "compact"))
	before := treeOf(t, dir)
	_, err := backup.Compact(t.Context(), s, nil)
	WantErr(t, err, tracker.ErrNotStore)
	_, err = repair.Begin(t.Context(), s)
	WantErr(t, err, tracker.ErrNotStore)
	if diff := cmp.Diff(before, treeOf(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestLivingTempDir: the folder of a running process is kept, and the file that it makes is complete.
func TestLivingTempDir(t *testing.T) {
	t.Parallel()
	s, _, _ := NewStoreWithRun(t, "record")
	temp, err := tempfile.New(s.Path(), "compact")
	OK(t, err)
	OK(t, os.WriteFile(temp.ContentPath(), []byte("half"), 0o600))
	c := compactStore(t, s)
	Equal(t, "told", len(c.Removed)+len(c.Untouched), 0)
	info, err := os.Stat(filepath.Dir(temp.ContentPath()))
	OK(t, err)
	Equal(t, "mode", info.Mode().Perm(), 0o700)
	OK(t, temp.MoveTo(filepath.Join(filepath.Dir(s.Path()), "whole"), false))
	OK(t, temp.Remove())
	OK(t, temp.Remove()) // of one that is gone already
	Equal(t, "files", strings.Join(ListFiles(t, s), " "), "podtrack.db whole")
}

// TestRepairBesideGlobCharacters: the path of a store is not used as a pattern. A killed repair's
// second name is found, and a name that only matches as a pattern is not.
func TestRepairBesideGlobCharacters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"r[1].db", "*.db", "a?b.db", `back\slash.db`, "[.db"} {
		t.Run(name, func(t *testing.T) {
			from, _, _ := NewStoreWithRun(t, "record")
			s := tracker.New(filepath.Join(t.TempDir(), name), tracker.Options{})
			OK(t, os.Rename(from.Path(), s.Path()))
			repair := func() (string, error) {
				r, err := repair.Begin(t.Context(), s)
				if err != nil {
					return "", err
				}
				defer r.Close()
				return r.Replace(t.Context())
			}
			OK(t, os.Link(s.Path(), s.Path()+".damaged")) // by a killed repair
			old, err := repair()
			OK(t, err)
			Equal(t, "name of the damaged file", old, s.Path()+".damaged")

			for _, other := range []string{"r1.db", "x.db", "aXb.db", "[.db.damaged-01"} {
				second := filepath.Join(filepath.Dir(s.Path()), other+".damaged")
				OK(t, os.Link(s.Path(), second))
				_, err := repair()
				WantErr(t, err, tracker.ErrInvalid)
				OK(t, os.Remove(second))
			}
		})
	}
}

func compactStore(t testing.TB, s *tracker.Store) backup.CompactReport {
	t.Helper()
	c, err := backup.Compact(context.Background(), s, nil)
	OK(t, err)
	return c
}
