package chart

import (
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPictureLimits: what a limit allows is drawn, and one more is refused with the limit.
func TestPictureLimits(t *testing.T) {
	arranged := func(points float64) (*Layout, error) {
		return Arrange(Chart{Columns: 1, Panels: []Panel{{Height: points, Y: Axis{Label: "y"}}}}, Style{Width: 4 * 72})
	}
	l, err := arranged(100)
	if err != nil {
		t.Fatal(err)
	}
	high := func(points float64) error {
		_, err := arranged(points - (l.Height - 100)) // the panel's part
		return err
	}
	schematest.Limits{
		{"height", "30 inches … plot less at once", high(maxHeight), high(maxHeight + 1)},
	}.Check(t)
}
