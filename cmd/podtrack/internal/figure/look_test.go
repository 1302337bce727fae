package figure

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
)

// TestLooksDiffer: as many series as a study may have in a figure differ by marker or by line from those of their
// colour.
func TestLooksDiffer(t *testing.T) {
	type seen struct {
		colour int
		glyph  chart.Glyph
	}
	all := map[seen]bool{}
	for i := range chart.MaxSeries * len(chart.Glyphs) {
		all[seen{i % chart.MaxSeries, keyOf(group.Look{Number: i}, "").Glyph}] = true
	}
	if want := chart.MaxSeries * len(chart.Glyphs); len(all) != want {
		t.Errorf("%d of %d series differ", len(all), want)
	}
	if keyOf(group.Look{Number: 2}, "").Dash == keyOf(group.Look{Number: 2, Line: 1}, "").Dash {
		t.Error("a variant has the same line in two settings")
	}
}
