package chart

import (
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPictureLimits: what a limit allows is drawn, and one more is refused with the limit.
func TestPictureLimits(t *testing.T) {
	pixels := func(dpi int) error { return checkPixels(&Layout{Width: MaxWidth, Height: MaxHeight}, dpi) }
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
		{"pixels", "54 million … a lower resolution", pixels(DPI), pixels(DPI + 1)},
		{"height", "30 inches … give a height", high(MaxHeight), high(MaxHeight + 1)},
	}.Check(t)
}
