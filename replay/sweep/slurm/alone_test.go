package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAlone: of two that submit at once one does; a note of long ago keeps nobody back.
func TestAlone(t *testing.T) {
	dir, done := t.TempDir(), 0
	submit := func() error { done++; return nil }
	err := Alone(dir, func() error {
		if err := Alone(dir, submit); !errors.Is(err, ErrBusy) {
			t.Errorf("the second: %v", err)
		}
		return submit()
	})
	if err != nil || done != 1 {
		t.Fatal(done, err)
	}
	failure := errors.New("refused")
	if err := Alone(dir, func() error { return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	note := filepath.Join(dir, "submitting")
	if err := os.WriteFile(note, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * gone)
	if err := os.Chtimes(note, old, old); err != nil {
		t.Fatal(err)
	}
	if err := Alone(dir, submit); err != nil || done != 2 {
		t.Error(done, err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
