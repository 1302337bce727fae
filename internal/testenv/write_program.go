package testenv

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a file that can be executed at once. A process that another goroutine
// starts meanwhile would inherit the open file for a moment, during which it cannot be executed
// (go.dev/issue/22315), so none is started.
func WriteProgram(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
