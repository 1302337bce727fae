package programs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestFind: a name means a program in a folder of PATH that is an absolute path; a
// path means itself.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are found by their extension")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tool", "bin/tool"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		path, name, want string // want "" for an error
	}{
		{filepath.Join(dir, "bin"), "tool", filepath.Join(dir, "bin/tool")},
		{"/nowhere", "tool", ""},
		{".", "tool", ""}, {"", "tool", ""}, {":/nowhere", "tool", ""}, {"bin", "tool", ""},
		{"./bin:/nowhere", "tool", ""},
		{"/nowhere", "./tool", "./tool"}, {"/nowhere", "bin/tool", "bin/tool"}, {"/nowhere", "./other", ""},
	} {
		t.Setenv("PATH", c.path)
		got, err := Find(c.name)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("PATH=%s: %s is %q, %v", c.path, c.name, got, err)
		}
		if errors.Is(err, exec.ErrDot) && schema.Remedy(err) == "" {
			t.Errorf("PATH=%s: no remedy for %v", c.path, err)
		}
	}
}

// TestOtherPrograms: a purpose has its own programs, and no others.
func TestOtherPrograms(t *testing.T) {
	for _, p := range []Use{Commit, Browser} {
		if c, err := p.Command(t.Context(), "go"); err == nil {
			t.Errorf("%s executes %q", p.Name, c.Path)
		}
	}
}
