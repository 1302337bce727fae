package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
)

// LongRun takes minutes, so that a signal finds it at work on any machine. Its iterations take
// a tenth of a second.
var LongRun = []string{"--bits", "10", "--steps", "2000000", "--iterations", "1000", "--seed", "5"}

// WaitUntilRunning lists the store until a run in it is at work.
func WaitUntilRunning(t *testing.T, store string) {
	t.Helper()
	Eventually(t, "a run at work", func() bool {
		code, stdout, _ := Podtrack("ls", "--json", "--store", store, "status=running")
		return code == cmdline.ExitDone && strings.Contains(stdout, `"running"`)
	})
}

// Eventually asks until the answer is yes.
func Eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatalf("there never is %s", what)
		case <-again.C:
		}
	}
}
