package figure

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// TestLettersOfNames: letters that the font lacks are escapes in every picture, in the order that they have, and are
// told; the caption, which is no picture, has them as they are.
func TestLettersOfNames(t *testing.T) {
	f := renamed{drawn()["walk"], "日本語 Zoë"}
	if got := Undrawn(f); got != "日本語" {
		t.Errorf("not drawn: %q", got)
	}
	if got := Undrawn(drawn()["walk"]); got != "" {
		t.Errorf("a walk has letters %q that are not drawn", got)
	}
	const shown = `\u65e5\u672c\u8a9e Zoë`
	svg := render(t, f, "svg", "light")
	if !bytes.Contains(svg, []byte(">"+shown+"<")) || !bytes.Contains(svg, []byte("<title>日本語 Zoë")) {
		t.Errorf("the SVG has no %s, or no title", shown)
	}
	same := renamed{drawn()["walk"], shown}
	if !bytes.Equal(render(t, f, "png", "light"), render(t, same, "png", "light")) {
		t.Error("a PNG with the escapes as name is another one")
	}
	pdf, want := render(t, f, "pdf", "light"), render(t, same, "pdf", "light")
	title, shownTitle := "/Title "+inPDF("日本語 Zoë"), "/Title "+inPDF(shown)
	if !bytes.Contains(pdf, []byte(title)) || len(pdf)-len(want) != len(title)-len(shownTitle) {
		t.Error("the PDF draws something else than the escapes, or has no title")
	}
}

// renamed is a figure with another title.
type renamed struct {
	Figure
	title string
}

func (r renamed) chart() chart.Chart {
	c := r.Figure.chart()
	c.Title = r.title
	return c
}

// inPDF returns a text as an entry of a PDF's dictionary.
func inPDF(text string) string {
	entry := "\xfe\xff"
	for _, unit := range utf16.Encode([]rune(text)) {
		entry += string([]byte{byte(unit >> 8), byte(unit)})
	}
	return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`).Replace(entry) + ")"
}
