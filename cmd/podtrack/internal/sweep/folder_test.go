package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// TestBeginOnce: a folder is one plan's for ever.
func TestBeginOnce(t *testing.T) {
	s := newSite(t)
	text, err := os.ReadFile(s.folder.planPath())
	ok(t, err)
	ok(t, s.folder.Init(s.plan))
	other := tinyPlan()
	other.Iterations++
	if err := s.folder.Init(other); !errors.Is(err, errOtherSweep) || schema.Remedy(err) == "" {
		t.Error(err)
	}
	if now, err := os.ReadFile(s.folder.planPath()); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the folder's plan is now %s, %v", now, err)
	}
	p, err := s.folder.Plan(context.Background())
	ok(t, err)
	if again, err := p.Marshal(); err != nil || !bytes.Equal(again, text) {
		t.Errorf("the folder's plan is read as %s, %v", again, err)
	}
	s.checkFiles()
}

// TestBeginTogether: of processes that begin a folder at once one writes the plan, and
// all find it; those of another plan are refused.
func TestBeginTogether(t *testing.T) {
	f := Folder{filepath.Join(t.TempDir(), "a", "b")}
	plans := []*Plan{tinyPlan(), tinyPlan()}
	plans[1].Seeds = runset.SeedSet(9)
	errs := make([]error, 16)
	var begun sync.WaitGroup
	for i := range errs {
		begun.Add(1)
		go func() {
			defer begun.Done()
			errs[i] = f.Init(plans[i%2])
		}()
	}
	begun.Wait()
	there, err := f.Plan(context.Background())
	ok(t, err)
	for i, err := range errs {
		mine := there.Seeds.Equal(plans[i%2].Seeds)
		if mine && err != nil || !mine && !errors.Is(err, errOtherSweep) {
			t.Errorf("process %d: %v", i, err)
		}
	}
	(&site{TB: t, folder: f}).checkFiles()
}

// checkFiles fails the test for each file in the folder that is neither the plan nor part of parts/.
func (s *site) checkFiles() {
	s.Helper()
	entries, err := os.ReadDir(s.folder.Path)
	ok(s, err)
	for _, e := range entries {
		if e.Name() != planName && e.Name() != partsDir {
			s.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestFolderRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	ok(t, os.WriteFile(file, []byte("mine"), 0o666))
	damaged := Folder{filepath.Join(dir, "damaged")}
	ok(t, damaged.Init(tinyPlan()))
	ok(t, os.Truncate(damaged.planPath(), 100))
	folder := Folder{filepath.Join(dir, "folder")}
	ok(t, os.MkdirAll(folder.planPath(), 0o777))
	plan := func(f Folder) error { _, err := f.Plan(context.Background()); return err }
	for name, err := range map[string]error{
		"no such folder":           plan(Folder{filepath.Join(dir, "nothing")}),
		"a folder without a plan":  plan(Folder{dir}),
		"a file":                   plan(Folder{file}),
		"a damaged plan":           plan(damaged),
		"a folder for a plan":      plan(folder),
		"no parts":                 Folder{dir}.CheckExists(),
		"a file, to begin":         Folder{file}.Init(tinyPlan()),
		"under a file, to begin":   Folder{filepath.Join(file, "x")}.Init(tinyPlan()),
		"a damaged plan, to begin": damaged.Init(tinyPlan()),
	} {
		if err == nil || schema.Remedy(err) == "" || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v; remedy %q", name, err, schema.Remedy(err))
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("a file that was there is now %q, %v", text, err)
	}
}
