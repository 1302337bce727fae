package chart

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
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
	for _, limit := range []struct {
		name       string
		at, beyond error
		says       string
	}{
		{"pixels", pixels(DPI), pixels(DPI + 1), "54 million"},
		{"height", high(MaxHeight), high(MaxHeight + 1), "30 inches"},
	} {
		if limit.at != nil {
			t.Errorf("%s: at the limit %v", limit.name, limit.at)
		}
		if err := limit.beyond; err == nil || !strings.Contains(err.Error(), limit.says) || schema.Remedy(err) == "" {
			t.Errorf("%s: one beyond %v, want %s", limit.name, err, limit.says)
		}
	}
}
