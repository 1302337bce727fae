package figure

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// TestOptionWithStart: states outside I are not all states in which an option ends if it has a start, which is marked.
func TestOptionWithStart(t *testing.T) {
	texts := func(keys []chart.Key) (all []string) {
		for _, k := range keys {
			all = append(all, k.Text)
		}
		return all
	}
	line := drawn()["option"].(lineOption)
	line.Start = new(1)
	grid := drawn()["plan"].(gridOption)
	grid.Start = new(3)
	for name, c := range map[string]struct {
		of   chart.Chart
		want []string
	}{
		"line":       {line.chart(), []string{"left", "right", "ends here", startsName}},
		"grid":       {grid.chart(), []string{"ends here", startsName}},
		"line, none": {drawn()["option"].chart(), []string{"left", "right", "ends here (outside I)"}},
		"grid, none": {drawn()["plan"].chart(), []string{"ends here (outside I)"}},
	} {
		if got := texts(c.of.Keys); !slices.Equal(got, c.want) {
			t.Errorf("%s: the legend is %q, want %q", name, got, c.want)
		}
	}
	for _, p := range line.chart().Panels {
		if !slices.ContainsFunc(p.Marks, func(m chart.Mark) bool { r, is := m.(chart.Rule); return is && r.At == 1 }) {
			t.Errorf("the start is not marked in %v", p.Marks)
		}
	}
	if !slices.ContainsFunc(grid.chart().Panels[0].Marks, func(m chart.Mark) bool {
		d, is := m.(chart.Dots)
		return is && slices.Equal(d.Points, []chart.Point{grid.Plan.points()[3]})
	}) {
		t.Error("the start is not marked on the map")
	}
	line.Start = new(7)
	if got := texts(line.chart().Keys); slices.Contains(got, startsName) {
		t.Errorf("a start that is not shown is in the legend: %q", got)
	}
}
