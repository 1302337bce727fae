package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAlone: of two that submit at once one does; a note of long ago keeps nobody back.
func TestAlone(t *testing.T) {
	dir, done := t.TempDir(), 0
	submit := func() error { done++; return nil }
	err := WithSubmitLock(dir, func() error {
		if err := WithSubmitLock(dir, submit); !errors.Is(err, ErrSubmitting) {
			t.Errorf("the second: %v", err)
		}
		return submit()
	})
	if err != nil || done != 1 {
		t.Fatal(done, err)
	}
	failure := errors.New("refused")
	if err := WithSubmitLock(dir, func() error { return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	note := filepath.Join(dir, "submitting")
	old := time.Now().Add(-2 * staleAfter)
	for text, busy := range map[string]bool{"process 42 on node\n": false, "": true, "my notes on submitting\n": true,
		"process 42 on node\nand more\n": true, "process 42 on " + strings.Repeat("n", maxLockBytes-15) + "\n": false,
		"process 42 on " + strings.Repeat("n", maxLockBytes-14) + "\n": true} {
		if err := errors.Join(os.WriteFile(note, []byte(text), 0o666), os.Chtimes(note, old, old)); err != nil {
			t.Fatal(err)
		}
		if err := WithSubmitLock(dir, submit); errors.Is(err, ErrSubmitting) != busy {
			t.Errorf("beside %.60q: %v", text, err)
		}
		if there, err := os.ReadFile(note); busy && (err != nil || string(there) != text) {
			t.Errorf("%q is now %q, %v", text, there, err)
		}
		_ = os.Remove(note)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
