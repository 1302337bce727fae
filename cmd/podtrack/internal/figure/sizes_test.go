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

// TestDensity: a PNG says how large it is meant to be.
func TestDensity(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, drawn()["walk"], "png", chart.Style{Width: 2 * 72, Theme: "light"}); err != nil {
		t.Fatal(err)
	}
	// 300/0.0254 is 11811 to a metre, 0x2e23; the checksum is Python's zlib.crc32 of the chunk from pHYs on.
	const want = "\x00\x00\x00\x09pHYs\x00\x00\x2e\x23\x00\x00\x2e\x23\x01\x78\xa5\x3f\x76"
	if got := b.Bytes()[8+4+4+13+4:][:21]; string(got) != want {
		t.Errorf("density is %x", got)
	}
	img, err := png.Decode(&b)
	if err != nil || img.Bounds().Dx() != 600 {
		t.Errorf("%v: %v", img.Bounds(), err)
	}
}
