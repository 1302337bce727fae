package crash

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// TestKilledEvaluation: an evaluation of many tasks that is killed has kept those that were finished; the
// same command continues from them, and records what an undisturbed one does.
func TestKilledEvaluation(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	dir := t.TempDir()
	store, undisturbed := filepath.Join(dir, "store.db"), filepath.Join(dir, "undisturbed.db")
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "laplacian", "--select", "top=3",
		"--steps", "3000", "--iterations", "1", "--name", "rooms")
	e2e.Perform(t, "backup", undisturbed, "--store", store)
	evaluate := []string{"evaluate", "rooms", "--pairs", "40", "--protocol", "published", "--episodes", "400", "--seeds",
		"0-1", "--against", "primitives", "--json", "--store"}
	p := e2e.Start(t, append(evaluate, store)...)
	e2e.Eventually(t, "a task that is kept", func() bool { return keptParts(t, store) > 0 })
	e2e.Must(t, p.Process.Kill())
	_ = p.Wait() // it was killed
	if out := e2e.Perform(t, "show", "rooms", "--store", store); strings.Contains(out, "40 pairs") {
		t.Fatal("a part was recorded as the whole")
	}
	e2e.Perform(t, "check", "--read-data", "--store", store)
	e2e.Perform(t, "compact", "--store", store)
	if keptParts(t, store) == 0 {
		t.Error("a compaction dropped the parts")
	}
	got, want := e2e.Perform(t, append(evaluate, store)...), e2e.Perform(t, append(evaluate, undisturbed)...)
	if got != want {
		t.Errorf("what was killed ends otherwise:\n%s\nwant\n%s", got, want)
	}
	if keptParts(t, store) != 0 {
		t.Error("parts are left")
	}
	e2e.Perform(t, "check", "--read-data", "--store", store)
	if code, _, stderr := e2e.Podtrack("replay", "rooms", "--store", store); code != cmdline.ExitDone {
		t.Error(stderr)
	}
}

// keptParts returns the number of finished tasks that a store has of unfinished evaluations.
func keptParts(t *testing.T, store string) (n int) {
	t.Helper()
	e2e.Must(t, tracker.New(store, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) error {
		for range tx.Rows().WithPrefix("podtrack", []byte("evaluating/")) {
			n++
		}
		return nil
	}))
	return n
}
