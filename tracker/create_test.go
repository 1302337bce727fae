package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCreateBehindLinks creates the file to which links lead, and leaves the links as they are.
func TestCreateBehindLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	ok(t, os.Mkdir(in("data"), 0o700))
	for link, target := range map[string]string{
		"relative.db": filepath.Join("data", "a.db"), "absolute.db": in("b.db"), "twice.db": "once.db",
		"once.db": filepath.Join("data", "c.db"), "lost.db": filepath.Join("nowhere", "d.db"), "loop.db": "loop.db",
	} {
		if err := os.Symlink(target, in(link)); err != nil {
			t.Skip(err) // Windows asks for a right
		}
	}
	for link, target := range map[string]string{
		"relative.db": "data/a.db", "absolute.db": "b.db", "twice.db": "data/c.db", "once.db": "data/c.db",
	} {
		ok(t, New(in(link), Options{}).Create(t.Context()))
		ok(t, New(in(target), Options{}).View(t.Context(), func(*Tx) error { return nil }))
		if info, err := os.Lstat(in(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", link, info, err)
		}
	}
	err := New(in("lost.db"), Options{}).Create(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no folder") || !strings.Contains(err.Error(), in("nowhere")) {
		t.Errorf("behind a link into no folder: %v", err)
	}
	if err := New(in("loop.db"), Options{}).Create(t.Context()); err == nil {
		t.Error("behind a link to itself there is a store")
	}
}
