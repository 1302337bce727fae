package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestSizes draws in the least and the greatest width, with names that are longer
// than either.
func TestSizes(t *testing.T) {
	figures := drawn()
	long := strings.Repeat("endless", 40)
	figures["long"] = Walk{
		Title: long + " " + long, Steps: 1,
		Tracks: []Trace{{Name: long}, {Name: long, Points: []Point{{0, -maxFinite}, {1, maxFinite}}}},
	}
	figures["wide"] = Purposes{
		Features: slices.Repeat([]string{long}, 500),
		Purposes: []Direction{{0, 1, 1, slices.Repeat([]float64{1, 0}, 250)}},
	}
	for name, f := range figures {
		for _, width := range []float64{MinWidth, MaxWidth} {
			l, err := arrange(f.chart(), Style{Width: width, Title: true})
			if errors.Is(err, ErrNarrow) && width == MinWidth {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, p := range l.places {
				if p.left < 0 || p.left+p.width > width || p.bottom < 0 || p.bottom+p.height > l.height {
					t.Errorf("%s, %g points wide: a panel at %g, %g of %g × %g points leaves the picture", name, width,
						p.left, p.bottom, p.width, p.height)
				}
			}
			if err := Write(io.Discard, f, "svg", Style{Width: width, Theme: "dark", Title: true}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	tall := Purposes{Features: []string{"a"}, Purposes: slices.Repeat([]Direction{{0, 1, 1, []float64{1}}}, 5000)}
	if err := Write(io.Discard, tall, "png", Style{Width: MinWidth, Theme: "light"}); !errors.Is(err, ErrTall) {
		t.Errorf("five thousand rows: %v", err)
	}
}

// TestHeights: a picture is as high as it is asked to be, or is refused.
func TestHeights(t *testing.T) {
	const least = 0.99 * 42 // of a row of panels
	for name, f := range drawn() {
		for _, height := range []float64{MinHeight, 1.5 * 72, 3 * 72, 9.1 * 72, MaxHeight} {
			style := Style{Width: 3.25 * 72, Height: height, Title: true}
			l, err := arrange(f.chart(), style)
			if errors.Is(err, ErrLow) && height <= 3*72 {
				continue
			}
			if err != nil || l.height != height {
				t.Fatalf("%s, %g points high: %v", name, height, err)
			}
			for _, p := range l.places {
				if !p.fixed && p.height < least || p.bottom-p.under < 0 || p.bottom+p.height > height {
					t.Errorf("%s: of %g points a panel takes %g to %g, above %g of its axis", name, height, p.bottom,
						p.bottom+p.height, p.under)
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
		Style{Width: 2 * 72, Height: 72 * 2, DPI: 150, Theme: "light"}); err != nil {
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
	if err := Write(io.Discard, drawn()["walk"], "png",
		Style{Width: MaxWidth, Height: MaxHeight, DPI: MaxDPI, Theme: "light"}); !errors.Is(err, ErrPixels) {
		t.Errorf("%g × %g inches at %d: %v", MaxWidth/72., MaxHeight/72., MaxDPI, err)
	}
}

// TestManyLines: of more directions than a page has room for, a picture shows those that go on longest, in the order in
// which they begin, and says so; the table has all.
func TestManyLines(t *testing.T) {
	f := Lineage{Run: "a", Threshold: 0.95}
	for i := range 3 * mostLines {
		f.Lines = append(f.Lines, LineageLine{First: i / mostLines, Js: []int{1}})
	}
	check := func(want, least int) {
		t.Helper()
		lines, notes := f.shown()
		if len(lines) != want || len(notes) != 1 || !strings.Contains(notes[0], fmt.Sprintf("%d of 3456 ", want)) {
			t.Fatalf("%d lines are shown: %q", len(lines), notes)
		}
		for i, l := range lines {
			if len(l.Js) < least || i > 0 && l.First < lines[i-1].First {
				t.Fatalf("line %d is %v", i, l)
			}
		}
	}
	check(1152, 1)
	for _, i := range []int{7, 2000, 3000} {
		f.Lines[i].Js = []int{1, 2}
	}
	check(3, 2)
	for i := range f.Lines {
		f.Lines[i].Js = []int{1, 2, 3}[:2+i%2]
	}
	check(1152, 3)
	if err := Write(io.Discard, f, "png", Style{Width: MinWidth, Theme: "light"}); err != nil {
		t.Error(err)
	}
	if n := len(f.Table().Rows); n != 1728*(2+3) {
		t.Errorf("the table has %d rows", n)
	}
	f.Lines = f.Lines[:mostLines]
	if lines, notes := f.shown(); len(lines) != mostLines || notes != nil {
		t.Errorf("of %d lines %d are shown: %q", mostLines, len(lines), notes)
	}
}
