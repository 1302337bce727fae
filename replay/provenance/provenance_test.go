package provenance

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// git runs git in a repository of its own, without the configuration of this machine.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c, err := programs.Commit.Command(t.Context(), "git", args...)
	if err != nil {
		t.Skip("git is not installed")
	}
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func newRepository(t *testing.T) (dir string) {
	dir = t.TempDir()
	git(t, dir, "init", "--quiet")
	write(t, filepath.Join(dir, "maze.py"), "size = 4\n")
	git(t, dir, "add", "maze.py")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first")
	return dir
}

// TestReadCommit: a commit is known where there is one, with whether tracked files differ from it.
func TestReadCommit(t *testing.T) {
	dir := newRepository(t)
	commit, changed := readCommit(t.Context(), dir)
	if len(commit) != 40 || changed == nil || *changed {
		t.Fatalf("commit %q, changed %v", commit, changed)
	}
	write(t, filepath.Join(dir, "new.py"), "")
	if _, changed := readCommit(t.Context(), dir); changed == nil || *changed {
		t.Error("a file that is not tracked changes the commit")
	}
	write(t, filepath.Join(dir, "maze.py"), "size = 5, and longer\n")
	if same, changed := readCommit(t.Context(), dir); same != commit || changed == nil || !*changed {
		t.Errorf("commit %q, changed %v, want %q with changes", same, changed, commit)
	}
	if commit, changed := readCommit(t.Context(), t.TempDir()); commit != "" || changed != nil {
		t.Errorf("a folder in no repository has commit %q, changed %v", commit, changed)
	}
}

// TestHostileRepository: reading a commit starts nothing that the repository's configuration names.
func TestHostileRepository(t *testing.T) {
	dir := newRepository(t)
	started := filepath.Join(t.TempDir(), "started")
	for _, name := range []string{"core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.external",
		"core.pager", "alias.rev-parse"} {
		git(t, dir, "config", name, "touch "+started+" #")
	}
	write(t, filepath.Join(dir, ".gitattributes"), "* filter=evil diff=evil\n")
	write(t, filepath.Join(dir, "maze.py"), "size = 5\n") // as long as before: only its contents tell
	commit, changed := readCommit(t.Context(), dir)
	if len(commit) != 40 || changed != nil {
		t.Errorf("commit %q, changed %v, want a commit with unknown changes", commit, changed)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("it started a program that the repository names")
	}
}

// TestHashFiles: the files that a command names are hashed, each once; what is no regular file is left out.
func TestHashFiles(t *testing.T) {
	dir := t.TempDir()
	program, script := filepath.Join(dir, "program"), filepath.Join(dir, "env.py")
	write(t, program, "#!/bin/sh\n")
	write(t, script, "x = 1\n")
	if err := os.Chmod(program, 0o777); err != nil {
		t.Fatal(err)
	}
	got, packages := DescribeCommand([]string{program, "-u", script, dir, script, filepath.Join(dir, "none")})
	if len(packages) > 0 {
		t.Errorf("a program is taken for an interpreter: %v", packages)
	}
	want := []File{
		{Path: program, Digest: sha256.Sum256([]byte("#!/bin/sh\n"))},
		{Path: script, Digest: sha256.Sum256([]byte("x = 1\n"))},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDigestFiles: the digest of files depends on each name and each content, and on nothing else.
func TestDigestFiles(t *testing.T) {
	file := func(path string, b byte) File { return File{path, schema.Digest{b}} }
	of := func(files ...File) schema.Digest { return *DigestFiles(files) }
	one := of(file("/a/maze.py", 1), file("/a/p/__init__.py", 2))
	if moved := of(file("/b/p/__init__.py", 2), file("/b/maze.py", 1)); moved != one {
		t.Error("it depends on the order or the folder")
	}
	for what, other := range map[string]schema.Digest{
		"contents":   of(file("/a/maze.py", 3), file("/a/p/__init__.py", 2)),
		"a name":     of(file("/a/mazes.py", 1), file("/a/p/__init__.py", 2)),
		"a package":  of(file("/a/maze.py", 1), file("/a/q/__init__.py", 2)),
		"exchange":   of(file("/a/maze.py", 2), file("/a/p/__init__.py", 1)),
		"a file":     of(file("/a/maze.py", 1)),
		"a namesake": of(file("/a/maze.py", 1), file("/a/p/__init__.py", 2), file("/b/maze.py", 3)),
	} {
		if other == one {
			t.Errorf("it does not depend on %s", what)
		}
	}
	if DigestFiles(nil) != nil {
		t.Error("no files have a digest")
	}
}

// TestFileLimit: a file of 64 MiB is hashed, and a larger one is left out, even if it grew after its size was read.
func TestFileLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	write(t, path, "")
	for size, known := range map[int64]bool{maxFileBytes: true, maxFileBytes + 1: false} {
		if err := os.Truncate(path, size); err != nil { // a hole, which takes no room
			t.Fatal(err)
		}
		if files := AddFile(nil, path); len(files) == 1 != known {
			t.Errorf("%d bytes: %v", size, files)
		}
		if _, is := readDigest(path); is != known {
			t.Errorf("%d bytes have a digest: %t", size, is)
		}
	}
}

// TestInterpreters: an interpreter is something that a program uses, not a file of it.
func TestInterpreters(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"python3", "python3.11", "python3.exe", "julia", "R", "bash", "my_env", "pythonic"} {
		path, script := filepath.Join(dir, name), filepath.Join(dir, "env.py")
		write(t, path, "#!/bin/sh\n")
		write(t, script, "x = 1\n")
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
		files, packages := DescribeCommand([]string{path, script})
		isProgram := name == "my_env" || name == "pythonic"
		if isProgram != (len(files) == 2) || isProgram != (packages == nil) || !isProgram && packages[name] == "" {
			t.Errorf("%s: files %v, packages %v", name, files, packages)
		}
	}
}

// TestCompare: what differs is named, with both forms; what one side does not know does not differ.
func TestCompare(t *testing.T) {
	yes, no := true, false
	files := func(b byte) *schema.Digest { return &schema.Digest{b} }
	a := &tracker.Code{Commit: "0123456789abcdef", Changed: &no, Programs: []tracker.Program{{
		Name: "maze", Version: "1", Files: files(1),
		Packages: map[string]string{"numpy": "1.24"},
	}}}
	b := &tracker.Code{Commit: "0123456789abcdef", Changed: &yes, Programs: []tracker.Program{{
		Name: "maze", Version: "1", Files: files(2),
		Packages: map[string]string{"numpy": "1.26", "scipy": "1.10"},
	}, {Name: "other"}}}
	var got []string
	for _, d := range Compare(a, b) {
		got = append(got, d.String())
	}
	want := []string{
		"commit 0123456789ab with changes, before 0123456789ab", "maze files 020000000000, before 010000000000",
		"maze package numpy 1.26, before 1.24", "maze package scipy 1.10, before none",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if files := ChangedFiles(Compare(a, b)); len(files) != 1 || files[0].What != "maze files" {
		t.Errorf("the changed files are %v", files)
	}
	b.Programs[0].Files = nil
	if files := ChangedFiles(Compare(a, b)); len(files) != 0 {
		t.Errorf("of unknown files have changed %v", files)
	}
	b.Programs[0].Files, b.Programs[0].Version = files(2), "2"
	if files := ChangedFiles(Compare(a, b)); len(files) != 0 {
		t.Errorf("with another version the changed files are %v", files)
	}
	if d := Compare(nil, a); d != nil {
		t.Errorf("of nothing known differs %v", d)
	}
	if d := Compare(a, &tracker.Code{}); d != nil {
		t.Errorf("without a commit and programs differs %v", d)
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
