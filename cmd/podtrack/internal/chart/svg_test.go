package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// readoutsOf returns the rectangles of an SVG that have titles, in points from the left and the top, and the titles.
func readoutsOf(t *testing.T, c Chart, s Style) (boxes [][4]float64, titles []string) {
	t.Helper()
	l, err := Arrange(c, s)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := l.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Groups []struct {
			Fill   string `xml:"fill,attr"`
			Events string `xml:"pointer-events,attr"`
			Boxes  []struct {
				X      float64 `xml:"x,attr"`
				Y      float64 `xml:"y,attr"`
				Width  float64 `xml:"width,attr"`
				Height float64 `xml:"height,attr"`
				Title  string  `xml:"title"`
			} `xml:"rect"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(b.Bytes(), &svg); err != nil {
		t.Fatal(err)
	}
	last := svg.Groups[len(svg.Groups)-1] // over all that is drawn
	for _, r := range last.Boxes {
		if last.Fill != "none" || last.Events != "all" {
			t.Errorf("readouts are filled with %q and have the pointer events %q", last.Fill, last.Events)
		}
		boxes, titles = append(boxes, [4]float64{r.X, r.Y, r.Width, r.Height}), append(titles, r.Title)
	}
	return boxes, titles
}

// panelWith returns a chart of one panel with these marks, of which the data area is 200 points wide and 100 high.
func panelWith(marks ...Mark) Chart {
	return Chart{Columns: 1, Panels: []Panel{{X: Axis{High: 10, Ticks: []Tick{}}, Y: Axis{High: 10, Ticks: []Tick{}},
		Aspect: 0.5, Marks: marks}}}
}

// TestReadouts: over a point and over a cell there is a rectangle with the text as its title.
func TestReadouts(t *testing.T) {
	const left = margin + tickLength + gap // of the data area
	const width = left + 200 + rightOf + margin
	var at, cell Readouts
	at.Add(5, 10, `a < b & "c"`)
	cell.Half = 0.5
	cell.Add(0.5, 0.5, "r0c0")
	c := panelWith(at, cell)
	boxes, titles := readoutsOf(t, c, Style{Width: width, Readouts: true})
	want := [][4]float64{{left + 100 - pointed, margin - pointed, 2 * pointed, 2 * pointed}, {left, margin + 90, 20, 10}}
	if fmt.Sprint(boxes) != fmt.Sprint(want) || strings.Join(titles, "|") != `a < b & "c"|r0c0` {
		t.Errorf("the readouts are %v %q, want %v", boxes, titles, want)
	}
	if boxes, _ := readoutsOf(t, c, Style{Width: width}); len(boxes) > 0 {
		t.Errorf("a picture for paper has readouts: %v", boxes)
	}
}

// TestReadoutsLimit: a picture has as many readouts as the limit allows, and none of more.
func TestReadoutsLimit(t *testing.T) {
	for n, want := range map[int]int{MaxReadouts: MaxReadouts, MaxReadouts + 1: 0} {
		var half, rest Readouts
		for i := range n {
			if to := &half; i%2 == 0 {
				to.Add(1, 1, "a")
			} else {
				rest.Add(2, 2, "b")
			}
		}
		cells := Cells{Rows: [][]float64{make([]float64, n)}, Ink: func(float64) Ink { return Neutral },
			Tell: func(_, x int) string { return fmt.Sprint(x) }}
		for _, c := range []Chart{panelWith(half, rest), panelWith(cells)} {
			if boxes, _ := readoutsOf(t, c, Style{Width: 300, Readouts: true}); len(boxes) != want {
				t.Errorf("of %d readouts a picture has %d", n, len(boxes))
			}
		}
	}
}
