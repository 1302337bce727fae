//go:build unix

package faults

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// nobody is a user that owns nothing.
const nobody = 65534

// TestRights: where a store, or its folder, may not be written to, it can be read;
// what writes says what is missing, and leaves everything as it was.
func TestRights(t *testing.T) {
	t.Parallel()
	store, damaged, other := threeStores(t)
	const folder, file, owner = "may write to that folder", "check its permissions", "as the owner of the file"
	for name, c := range map[string]struct {
		store        []byte
		mode, inMode os.FileMode // of the file, and of its folder
		mine         bool        // the file
		fails        [][]string
		says         string
		works        [][]string
	}{
		"a file that may not be written to": {
			store, 0o444, 0o777, true,
			[][]string{
				tiny("run", "--seed", "9"), {"resume", "s0", "--iterations", "3"}, {"label", "s0", "--tag", "x"},
				{"rm", "--yes", "s0"},
				{"compact"}, {"repair", "--pruned"}, {"merge", other},
				{"fork", "s0:1", "--set", "kappa=5"},
			}, file,
			[][]string{{"ls"}, {"show", "s0"}, {"replay", "s0"}, {"check", "--read-data"}, {"repair"}},
		},
		"a folder that may not be written to": {
			store, 0o666, 0o555, true,
			[][]string{{"compact"}}, "its folder can be written to",
			[][]string{{"ls"}, {"show", "s0"}, {"replay", "s0"}, {"check", "--read-data"}, {"repair"}},
		},
		"exports into a folder that may not be written to": {
			store, 0o666, 0o555, true,
			[][]string{{"export", "s0", "-o", "DIR/x.npz"}, {"export", "s0", "--format", "bundle", "-o", "DIR/x.db"},
				{"merge", other, "--store", "DIR/new.db"}},
			"choose a place that can be written to", nil,
		},
		"a damaged file that may not be written to":  {damaged, 0o444, 0o777, true, [][]string{{"repair"}}, file, nil},
		"a damaged file in a folder that may not be": {damaged, 0o666, 0o555, true, [][]string{{"repair"}}, folder, nil},
		"a file that may not be read": {store, 0o200, 0o777, true,
			[][]string{{"ls"}, {"check"}, {"label", "s0", "--tag", "x"}, {"repair"}}, file, nil},
		"a folder that may not be entered": {store, 0o666, 0o600, true,
			[][]string{{"ls"}, {"check"}, {"label", "s0", "--tag", "x"}, {"compact"}, {"repair"}}, file, nil},
		"a file of another user":         {store, 0o666, 0o777, false, [][]string{{"compact"}}, owner, nil},
		"a damaged file of another user": {damaged, 0o666, 0o777, false, [][]string{{"repair"}}, owner, nil},
		"a file of another user that may not be written": {store, 0o644, 0o777, false,
			[][]string{{"label", "s0", "--tag", "x"}}, file,
			[][]string{{"ls"}, {"check"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if !c.mine && os.Getuid() != 0 {
				t.Skip("only root can give a file to another user")
			}
			b := newRights(t, c.store, c.mode, c.inMode, c.mine)
			for _, args := range c.works {
				b.as(t, args...).Exit(t, cmdline.ExitDone)
			}
			for _, args := range c.fails {
				p := b.as(t, args...)
				p.Exit(t, cmdline.ExitFailure)
				if why := e2e.CheckMessage(p.Said.String()); why != "" || !strings.Contains(p.Said.String(), c.says) {
					t.Errorf("%v: stderr does not say %q: %s\n%s", args, c.says, why, p.Said.String())
				}
				b.unchanged(t, args)
			}
		})
	}
}

// threeStores returns a sound store, the same damaged, and the path of another one.
func threeStores(t *testing.T) (store, damaged []byte, other string) {
	t.Helper()
	dir := shared(t)
	path, other := filepath.Join(dir, "store.db"), filepath.Join(dir, "other.db")
	e2e.Start(t, tiny("run", "--seed", "0", "--name", "s0", "--store", path)...).Exit(t, cmdline.ExitDone)
	e2e.Start(t, tiny("run", "--seed", "1", "--store", other)...).Exit(t, cmdline.ExitDone)
	e2e.Must(t, os.Chmod(other, 0o644))
	store = e2e.ContentOf(t, path)
	return store, spoilStore(t, path), other
}

// shared returns a folder that every user can come to.
func shared(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	e2e.Must(t, os.Chmod(filepath.Dir(dir), 0o755))
	e2e.Must(t, os.Chmod(dir, 0o755))
	return dir
}

// rights are a folder with a store, and a program that is not root's there.
type rights struct {
	program, dir string
	inMode       os.FileMode
	store        []byte
	user         *syscall.Credential // nil where the test itself is not root's
}

func newRights(t *testing.T, store []byte, mode, inMode os.FileMode, mine bool) *rights {
	t.Helper()
	b := &rights{dir: filepath.Join(shared(t), "folder"), inMode: inMode, store: store}
	self, err := os.Executable()
	e2e.Must(t, err)
	b.program = filepath.Join(shared(t), "podtrack") // the test's own is in a folder of its user
	schematest.WriteProgram(t, b.program, e2e.ContentOf(t, self))
	path := filepath.Join(b.dir, "store.db")
	e2e.Must(t, os.Mkdir(b.dir, 0o755))
	e2e.Must(t, os.WriteFile(path, store, 0o600))
	e2e.Must(t, os.Chmod(path, mode))
	if os.Getuid() == 0 {
		b.user = &syscall.Credential{Uid: nobody, Gid: nobody}
		e2e.Must(t, os.Chown(b.dir, nobody, nobody))
		if mine {
			e2e.Must(t, os.Chown(path, nobody, nobody))
		}
	}
	e2e.Must(t, os.Chmod(b.dir, inMode))
	t.Cleanup(func() { e2e.Must(t, os.Chmod(b.dir, 0o755)) }) // to be removed
	return b
}

// as starts a command as the user.
func (r *rights) as(t *testing.T, args ...string) *e2e.Program {
	t.Helper()
	p := &e2e.Program{Cmd: &exec.Cmd{Path: r.program, Args: append([]string{"podtrack"}, inDir(r.dir, args)...)}}
	p.Env = append(os.Environ(), "PODTRACK_STORE="+filepath.Join(r.dir, "store.db"))
	p.SysProcAttr = &syscall.SysProcAttr{Credential: r.user}
	p.Begin(t)
	return p
}

// unchanged: the store is as it was, and alone in its folder.
func (r *rights) unchanged(t *testing.T, args []string) {
	t.Helper()
	e2e.Must(t, os.Chmod(r.dir, 0o755))
	defer func() { e2e.Must(t, os.Chmod(r.dir, r.inMode)) }()
	path := filepath.Join(r.dir, "store.db")
	info, err := os.Stat(path)
	e2e.Must(t, err)
	e2e.Must(t, os.Chmod(path, 0o600))
	defer func() { e2e.Must(t, os.Chmod(path, info.Mode())) }()
	if !bytes.Equal(e2e.ContentOf(t, path), r.store) {
		t.Errorf("%v changed the store", args)
	}
	if files := filesIn(t, r.dir); len(files) != 1 {
		t.Errorf("%v left %v", args, files)
	}
}
