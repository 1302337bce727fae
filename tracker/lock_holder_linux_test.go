package tracker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
)

// TestLockHolder: the error of a locked store names the process that holds the lock, if the system tells.
func TestLockHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	holder := tracker.New(path, tracker.Options{})
	if err := holder.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := holder.Update(t.Context(), func(*tracker.Tx) error {
		other := tracker.New(path, tracker.Options{Wait: time.Millisecond})
		err := other.View(t.Context(), func(*tracker.Tx) error { return nil })
		named := fmt.Sprintf("is locked by process %d for 1ms", os.Getpid())
		if !errors.Is(err, tracker.ErrLocked) ||
			!strings.HasSuffix(err.Error(), named) && !strings.HasSuffix(err.Error(), "is locked by another process for 1ms") {
			t.Errorf("%v, want %s", err, named)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
