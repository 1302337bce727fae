package export_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestIterationLimit: the last iteration is exported, and one beyond is refused by an error that says how many there
// are.
func TestIterationLimit(t *testing.T) {
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	if _, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 2, Name: "small"}, replay.Options{}); err != nil {
		t.Fatal(err)
	}
	write := func(k int) error {
		var runs []report.Run
		err := store.Tracker().View(t.Context(), func(tx *tracker.Tx) (err error) {
			runs, err = report.SelectSome(tx, []string{"small"})
			return err
		})
		if err != nil {
			return err
		}
		return export.NPZ(t.Context(), store.Tracker(), runs, export.Options{Iterations: []int{k}}, io.Discard)
	}
	if at, beyond := write(1), write(2); at != nil || !errors.Is(beyond, export.ErrNoIteration) ||
		!strings.Contains(schema.Remedy(beyond), "it has 2,") {
		t.Errorf("at the limit %v, one beyond %v (%s)", at, beyond, schema.Remedy(beyond))
	}
}
