package figure

import (
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/stats"
)

// cellsOf returns a mean for each iteration; it has none where the number is negative.
func cellsOf(means ...float64) (cells []group.Cell) {
	for k, x := range means {
		c := group.Cell{K: k, Summary: stats.Summary{N: 1, Mean: new(x)}}
		if x < 0 {
			c.N, c.Mean = 0, nil
		}
		cells = append(cells, c)
	}
	return cells
}

// TestMovingMean: a mean over as many iterations before as after, over fewer towards the ends and around gaps.
func TestMovingMean(t *testing.T) {
	for _, c := range []struct {
		n           int
		means, want []float64 // negative for none
	}{
		{0, []float64{1, 7, 4}, []float64{1, 7, 4}},
		{3, []float64{1, 7, 4, 4}, []float64{1, 4, 5, 4}},
		{5, []float64{0, 3, 6, 6, 10, 9}, []float64{0, 3, 5, 6.8, 25.0 / 3, 9}},
		{3, []float64{-1, 2, 8, -1, 4, 1, -1}, []float64{2, 5, 2.5, 1}},
		{99, []float64{3}, []float64{3}},
		{3, []float64{-1}, nil},
	} {
		var got []float64
		var points []chart.Point
		for k, x := range c.means {
			if x >= 0 {
				points = append(points, chart.Point{X: float64(k), Y: x})
			}
		}
		for _, at := range movingMean(points, c.n) {
			got = append(got, at.Y)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("over %d of %v: %v, want %v", c.n, c.means, got, c.want)
		}
	}
}

// TestSmooth: smoothed curves are drawn over pale ones, the table has both, and the caption says so.
func TestSmooth(t *testing.T) {
	m := Measures{Filter: "a", Smooth: 3, Of: group.Summaries{Groups: []group.Summary{{Measures: []group.Series{
		{Measure: "distance", Iterations: cellsOf(1, 7, -1, 4, 4)}}}}}}
	var lines [][]chart.Point
	for _, mark := range m.chart().Panels[0].Marks {
		if l, isLine := mark.(chart.Line); isLine {
			lines = append(lines, l.Points)
		}
	}
	if len(lines) != 2 || lines[0][1] != (chart.Point{X: 1, Y: 7}) || lines[1][1] != (chart.Point{X: 1, Y: 4}) ||
		lines[1][2] != (chart.Point{X: 3, Y: 4}) {
		t.Errorf("the lines are %v", lines)
	}
	table := m.Table()
	if row := strings.Join(table.Rows[1], ","); !strings.HasSuffix(row, ",7,,,4") || table.Columns[6] != "smoothed" {
		t.Errorf("the second row of %q is %s", table.Columns, row)
	}
	if got := captionOf(m); !strings.Contains(got, "moving means over 3 iterations") {
		t.Errorf("the caption is %s", got)
	}
	m.Smooth = 0
	if got := captionOf(m); strings.Contains(got, "moving") || slices.Contains(m.Table().Columns, "smoothed") {
		t.Errorf("without smoothing the caption is %s", got)
	}
}
