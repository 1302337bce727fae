package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/diff"
)

// sharedOf returns so many shared options, each drawn as the same figure.
func sharedOf(n, all int, drawn Figure) SharedOptions {
	s := SharedOptions{Runs: 10, Shared: all}
	for i := range n {
		d := diff.Distinct{Name: fmt.Sprintf("a:0/%d+", i+1), Runs: 9 - i%8, SigmaLow: 1, SigmaHigh: 2}
		d.End = fmt.Sprint("r", i)
		s.Found, s.Drawn = append(s.Found, d), append(s.Drawn, drawn)
	}
	return s
}

// TestSharedOptions: shared options are small maps where their option is one, else strips, in a picture that a page has
// room for, however many there are and however many states they have; its caption says how many of all it has.
func TestSharedOptions(t *testing.T) {
	grid := drawn()["plan"].(gridOption)
	checkGolden(t, "shared", sharedOf(4, 61, grid))
	checkGolden(t, "shared strips", sharedOf(3, 3, drawn()["option"]))
	corridor, long := drawn()["plan of a corridor"].(gridOption), drawn()["option"].(lineOption)
	for range 1000 {
		long.Bins = append(long.Bins, bin{len(long.Bins), len(long.Bins), 0, 0, 0, []float64{1, 0, 0}})
	}
	tall := gridOption{Plan: GridLayout{Rows: 500, Columns: 1, Cells: make([]envs.Cell, 500)}, Actions: grid.Actions,
		Values: make([]float64, 500), Policy: make([]int8, 500)}
	for name, of := range map[string]Figure{"grid": grid, "corridor": corridor, "tall": tall, "long": long} {
		f := sharedOf(maxShared, 61, of)
		for _, width := range []float64{3.25 * 72, 6 * 72} {
			l, err := chart.Arrange(f.chart(), chart.Style{Width: width, Title: true})
			if err != nil || l.Width != width || l.Height > 11*72 {
				t.Errorf("%s: %v points high: %v", name, l.Height, err)
			}
		}
		if got := captionOf(f); !strings.Contains(got, "Options that several of 10 runs found, 24 of 61: ") {
			t.Errorf("%s: the caption is %s", name, got)
		}
		rows, one := f.Table().Rows, of.Table()
		if len(rows) != maxShared*len(one.Rows) || len(rows[0]) != len(f.Table().Columns) ||
			strings.Join(rows[0][:6], ",") != "a:0/1+,r0,9,10,1,2" {
			t.Errorf("%s: %d rows, the first %v", name, len(rows), rows[0])
		}
	}
}
