//go:build unix

package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestForeignSeals: where others can have sealed a part, its seal vouches for nothing:
// it is left out, or each record is proved.
func TestForeignSeals(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, part string){
		"a part that the group can write to": func(t *testing.T, part string) { ok(t, os.Chmod(part, 0o664)) },
		"a part that all can write to":       func(t *testing.T, part string) { ok(t, os.Chmod(part, 0o646)) },
		"a folder that the group can write": func(t *testing.T, part string) {
			ok(t, os.Chmod(filepath.Dir(part), 0o775))
		},
		"a folder that all can write": func(t *testing.T, part string) {
			ok(t, os.Chmod(filepath.Dir(part), 0o1777))
		},
		"another's part":   func(t *testing.T, part string) { giveAway(t, part) },
		"another's folder": func(t *testing.T, part string) { giveAway(t, filepath.Dir(part)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.begin(WholePlan).work(0).save()
			parts, err := s.folder.parts()
			ok(t, err)
			change(t, parts[0].Path)
			got, bad, err := s.folder.Gather(t.Context(), s.store, false, nil)
			ok(t, err)
			if len(bad) != 1 || !errors.Is(bad[0], errWritableByOthers) ||
				!strings.Contains(schema.Remedy(bad[0]), "verify each record") || got.Parts != 0 {
				t.Fatalf("gathered %+v, told of %v", got, bad)
			}
			if now, err := s.folder.parts(); err != nil || len(now) != len(parts) {
				t.Errorf("of %d parts %d are left, %v", len(parts), len(now), err)
			}
			if got, bad, err = s.folder.Gather(t.Context(), s.store, true, nil); err != nil || len(bad) > 0 ||
				got.Parts != len(parts) {
				t.Errorf("proved: %+v, %v, %v", got, bad, err)
			}
		})
	}
}

// giveAway makes a file another user's.
func giveAway(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		schematest.SkipLacking(t, "only root can give a file away")
	}
	ok(t, os.Chown(path, 12345, -1))
}

// TestOwnParts: what podtrack makes itself can be gathered, whatever the umask.
func TestOwnParts(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	s := newSite(t)
	s.begin(WholePlan).work(0).save()
	if got, bad, err := s.folder.Gather(t.Context(), s.store, false, nil); err != nil || len(bad) > 0 ||
		got.Parts == 0 {
		t.Errorf("%+v, %v, %v", got, bad, err)
	}
}

// TestFolderLeadsNowhereElse: a link in place of a folder's own is refused, and what
// it leads to stays as it is.
func TestFolderLeadsNowhereElse(t *testing.T) {
	victim, hostile := newSite(t), newSite(t)
	victim.begin(WholePlan).work(0).save()
	ok(t, os.Remove(hostile.folder.partsPath()))
	ok(t, os.Symlink(victim.folder.partsPath(), hostile.folder.partsPath()))
	before, err := victim.folder.parts()
	ok(t, err)
	for name, err := range map[string]error{
		"gather": func() error {
			_, _, err := hostile.folder.Gather(t.Context(), hostile.store, false,
				nil)
			return err
		}(),
		"begin": hostile.folder.Init(hostile.plan), "exists": hostile.folder.CheckExists(),
	} {
		if err == nil || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "mine")
	ok(t, os.WriteFile(file, []byte("mine"), 0o600))
	ok(t, os.Symlink(file, filepath.Join(hostile.folder.Path, storeName)))
	ok(t, hostile.folder.RecordStore("/elsewhere.db"))
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("a file that a link leads to is now %q, %v", text, err)
	}
	if now, err := victim.folder.parts(); err != nil || len(now) != len(before) || len(now) == 0 {
		t.Errorf("of %d parts %d are left, %v", len(before), len(now), err)
	}
}
