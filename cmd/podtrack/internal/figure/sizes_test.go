package figure

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// TestSizes draws in the least and the greatest width, with names that are longer
// than either.
func TestSizes(t *testing.T) {
	figures := drawn()
	long := strings.Repeat("endless", 40)
	figures["long"] = Walk{
		Title: long + " " + long, Steps: 1,
		Tracks: []Trace{{Name: long},
			{Name: long, Points: []chart.Point{{X: 0, Y: -chart.MaxFinite}, {X: 1, Y: chart.MaxFinite}}}},
	}
	figures["wide"] = selectedPurposes{
		Features: slices.Repeat([]string{long}, 500),
		Purposes: []positivePurpose{{0, 1, 1, slices.Repeat([]float64{1, 0}, 250)}},
	}
	for name, f := range figures {
		for _, width := range []float64{chart.MinWidth, chart.MaxWidth} {
			l, err := chart.Arrange(f.chart(), chart.Style{Width: width, Title: true})
			if errors.Is(err, chart.ErrNarrow) && width == chart.MinWidth {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, p := range l.Places {
				if p.Left < 0 || p.Left+p.Width > width || p.Bottom < 0 || p.Bottom+p.Height > l.Height {
					t.Errorf("%s, %g points wide: a panel at %g, %g of %g × %g points leaves the picture", name, width,
						p.Left, p.Bottom, p.Width, p.Height)
				}
			}
			if err := Write(io.Discard, f, "svg", chart.Style{Width: width, Theme: "dark", Title: true}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	tall := selectedPurposes{Features: []string{"a"},
		Purposes: slices.Repeat([]positivePurpose{{0, 1, 1, []float64{1}}}, 5000)}
	err := Write(io.Discard, tall, "png", chart.Style{Width: chart.MinWidth, Theme: "light"})
	if !errors.Is(err, chart.ErrTall) {
		t.Errorf("five thousand rows: %v", err)
	}
}

// TestHeights: a picture is as high as it is asked to be, or is refused.
func TestHeights(t *testing.T) {
	const least = 0.99 * 42 // of a row of panels
	for name, f := range drawn() {
		for _, height := range []float64{chart.MinHeight, 1.5 * 72, 3 * 72, 9.1 * 72, chart.MaxHeight} {
			style := chart.Style{Width: 3.25 * 72, Height: height, Title: true}
			l, err := chart.Arrange(f.chart(), style)
			if errors.Is(err, chart.ErrLow) && height <= 3*72 {
				continue
			}
			if err != nil || l.Height != height {
				t.Fatalf("%s, %g points high: %v", name, height, err)
			}
			for _, p := range l.Places {
				if !p.Fixed && p.Height < least || p.Bottom-p.Under < 0 || p.Bottom+p.Height > height {
					t.Errorf("%s: of %g points a panel takes %g to %g, above %g of its axis", name, height, p.Bottom,
						p.Bottom+p.Height, p.Under)
				}
			}
			if _, texts := textsOf(t, f, style); len(geometryFaults(l, texts)) > 0 {
				t.Errorf("%s, %g points high: %s", name, height, strings.Join(geometryFaults(l, texts), "\n"))
			}
		}
	}
}

// TestDensity: a PNG says how large it is meant to be, and one that would take too
// much memory is refused.
func TestDensity(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, drawn()["walk"], "png",
		chart.Style{Width: 2 * 72, Height: 72 * 2, DPI: 150, Theme: "light"}); err != nil {
		t.Fatal(err)
	}
	// 150/0.0254 is 5906 to a metre, 0x1712; the checksum is Python's zlib.crc32 of the chunk from pHYs on.
	const want = "\x00\x00\x00\x09pHYs\x00\x00\x17\x12\x00\x00\x17\x12\x01\x67\x9f\xd2\x52"
	if got := b.Bytes()[8+4+4+13+4:][:21]; string(got) != want {
		t.Errorf("density is %x", got)
	}
	img, err := png.Decode(&b)
	if err != nil || img.Bounds().Dx() != 300 || img.Bounds().Dy() != 300 {
		t.Errorf("%v: %v", img.Bounds(), err)
	}
	err = Write(io.Discard, drawn()["walk"], "png",
		chart.Style{Width: chart.MaxWidth, Height: chart.MaxHeight, DPI: chart.MaxDPI, Theme: "light"})
	if !errors.Is(err, chart.ErrPixels) {
		t.Errorf("%g × %g inches at %d: %v", chart.MaxWidth/72., chart.MaxHeight/72., chart.MaxDPI, err)
	}
}
