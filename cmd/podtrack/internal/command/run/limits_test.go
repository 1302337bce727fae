package run

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// TestLabelsLimit: ten labels are listed, and of eleven it is said how many are left out.
func TestLabelsLimit(t *testing.T) {
	if at, beyond := someLabels(make([]string, 10)), someLabels(make([]string, 11)); strings.Contains(at, " more") ||
		!strings.Contains(beyond, " and 1 more") {
		t.Errorf("10 labels: %s; 11: %s", at, beyond)
	}
}

// TestWarningsLimit: warnings are looked for in 16 of the runs of a command.
func TestWarningsLimit(t *testing.T) {
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	if _, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 1}, replay.Options{}); err != nil {
		t.Fatal(err)
	}
	err = store.Tracker().View(t.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, "@1")
		for _, n := range []int{16, 17} {
			runs := slices.Repeat([]report.Run{run}, n)
			err = errors.Join(err, lookForWarnings(tx, runs))
			unread := slices.DeleteFunc(runs, func(r report.Run) bool { return r.Warnings != nil })
			if looked := n - len(unread); looked != 16 {
				t.Errorf("of %d runs %d are looked at", n, looked)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
