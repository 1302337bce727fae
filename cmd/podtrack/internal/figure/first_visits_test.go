package figure

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/explore"
)

// TestVisitShades: in each theme, cells that were visited one after the other have different shades however late the
// last one was, and this one is unlike a cell that was not visited.
func TestVisitShades(t *testing.T) {
	visits := []explore.FirstVisit{{State: 0}, {State: 1, Steps: 1}, {State: 2, Steps: 2}, {State: 3, Steps: 100_000}}
	f := firstVisits{First: visits, all: visits, Plan: &GridLayout{Rows: 1, Columns: 5, Cells: make([]envs.Cell, 5)}}
	tiles := f.chart().Panels[0].Marks[0].(chart.Tiles)
	for i := range palette.Palettes {
		theme := &palette.Palettes[i]
		for state := range 4 {
			a, b := tiles.Ink(state)(theme), tiles.Ink(state+1)(theme)
			apart := max(int(a.R), int(b.R)) - min(int(a.R), int(b.R)) + max(int(a.G), int(b.G)) - min(int(a.G), int(b.G)) +
				max(int(a.B), int(b.B)) - min(int(a.B), int(b.B))
			if apart < 60 {
				t.Errorf("%s: cell %d is %v, and the next is %v", theme.Theme, state, a, b)
			}
		}
	}
}
