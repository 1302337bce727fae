package figure

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema/textform"
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
	title, shownTitle := "/Title "+pdfText("日本語 Zoë"), "/Title "+pdfText(shown)
	if !bytes.Contains(pdf, []byte(title)) || len(pdf)-len(want) != len(title)-len(shownTitle) {
		t.Error("the PDF draws something else than the escapes, or has no title")
	}
}

// TestEscapesOfLetters: the escape of a letter cannot be read as that of another with a digit behind it.
func TestEscapesOfLetters(t *testing.T) {
	for name, want := range map[string]string{
		"a\u202eb": `a\u202eb`, "a\u200bb": `a\u200bb`, "\x1b[1m": `\x1b[1m`, "\uffff": `\uffff`,
		"\U0001f600 b": `\U0001f600 b`, "\U00030000": `\U00030000`, "\u30000": `\u30000`, "\U0010ffff": `\U0010ffff`,
	} {
		if got := drawable(name); got != want {
			t.Errorf("%q is drawn as %s, want %s", name, got, want)
		}
		if strings.ContainsFunc(printable(name), textform.IsHidden) {
			t.Errorf("the caption of %q is %q, of which part cannot be seen", name, printable(name))
		}
	}
}

// renamed is a figure with another title.
type renamed struct {
	Figure
	title string
}

func (r renamed) chart() chart {
	c := r.Figure.chart()
	c.title = r.title
	return c
}

// TestDrawable: whatever a text has, what is drawn of it has a glyph for each letter, and texts that differ stay so.
func TestDrawable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		for _, r := range drawable(a) {
			if !hasGlyph(r) {
				t.Fatalf("%q is drawn as %q", a, drawable(a))
			}
		}
		isPlain := !strings.ContainsRune(a+b, '\\')
		if isPlain && printable(a) != printable(b) && drawable(a) == drawable(b) {
			t.Fatalf("%q and %q are both %q", a, b, drawable(a))
		}
	})
}
