package chart

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestReadCaption: whatever letters a caption has, those of strings of a PDF's own too, a picture gives it back.
func TestReadCaption(t *testing.T) {
	letters := []rune("a()\\r\r\n<&\"σ−é😀\u5c29\u2f0d\u0d28")
	rapid.Check(t, func(t *rapid.T) {
		c := panelWith()
		c.Caption = string(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(letters), rapid.Rune())).Draw(t, "caption"))
		l, err := Arrange(c, Style{Width: MinWidth})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"png", "svg", "pdf"} {
			var b bytes.Buffer
			if err := l.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			if got := ReadCaption(b.Bytes()); got != Printable(c.Caption) {
				t.Fatalf("the caption of a %s is %q, want %q", format, got, Printable(c.Caption))
			}
		}
	})
	if got := ReadCaption([]byte("/Subject (\xfe\xff\\")); got != "" {
		t.Errorf("of a string that does not end the caption is %q", got)
	}
}
