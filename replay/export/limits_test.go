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
	"github.com/podtrack/podtrack/schema"
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
	run, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 2}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(k int) error {
		return export.NPZ(t.Context(), []*replay.Run{run}, export.Options{Iterations: []int{k}}, io.Discard)
	}
	if at, beyond := write(1), write(2); at != nil || !errors.Is(beyond, export.ErrNoIteration) ||
		!strings.Contains(schema.Remedy(beyond), "it has 2,") {
		t.Errorf("at the limit %v, one beyond %v (%s)", at, beyond, schema.Remedy(beyond))
	}
}
