package commands

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// dying is done after it was asked so many times.
type dying struct {
	context.Context
	left int
}

func (d *dying) Err() error {
	if d.left--; d.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestPlotLong walks an iteration of three records: from one into the next without
// a break, and no further than the record at which it is interrupted.
func TestPlotLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "podtrack.db")
	t.Setenv("PODTRACK_STORE", path)
	printed(t, "run", "--bits", "6", "--steps", "2500000", "--iterations", "1", "--name", "r")
	var d report.Detail
	if err := json.Unmarshal(printed(t, "show", "r", "--json"), &d); err != nil {
		t.Fatal(err)
	}
	ctx := &dying{t.Context(), math.MaxInt}
	run, err := report.Open(ctx, tracker.New(path, tracker.Options{}), "r")
	if err != nil {
		t.Fatal(err)
	}
	parts := []figure.Source{{Records: run, WholeRun: true}}
	w, err := figure.ReadWalks(ctx, parts, 100)
	if err != nil {
		t.Fatal(err)
	}
	far := 0.0
	for _, p := range w.Tracks[0].Points {
		far = max(far, math.Abs(p.Y))
	}
	last := w.Tracks[0].Points[len(w.Tracks[0].Points)-1]
	if it := d.History[0]; last.X != float64(it.Steps) || math.Abs(last.Y) != float64(*it.Final) ||
		far != float64(*it.Distance) {
		t.Errorf("ends at %v after a distance of %g; show has %d steps, final %d, distance %d", last, far, it.Steps,
			*it.Final, *it.Distance)
	}
	for left := range 3 {
		ctx.left = left
		if _, err := figure.ReadWalks(ctx, parts, 100); !errors.Is(err, context.Canceled) || ctx.left != -1 {
			t.Errorf("interrupted at record %d: %v", left, err)
		}
		ctx.left = left
		if _, err := figure.ReadCoverage(ctx, parts, 100); !errors.Is(err, context.Canceled) || ctx.left != -1 {
			t.Errorf("coverage, interrupted at record %d: %v", left, err)
		}
	}
	// Enough for the three records, not for the walk of primitive actions.
	ctx.left = 10
	if _, err := figure.ReadWalks(ctx, parts, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted among primitive actions: %v", err)
	}
}
