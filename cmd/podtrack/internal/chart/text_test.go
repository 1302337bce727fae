package chart

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// TestEscapesOfLetters: the escape of a letter cannot be read as that of another with a digit behind it.
func TestEscapesOfLetters(t *testing.T) {
	for name, want := range map[string]string{
		"a\u202eb": `a\u202eb`, "a\u200bb": `a\u200bb`, "\x1b[1m": `\x1b[1m`, "\uffff": `\uffff`,
		"\U0001f600 b": `\U0001f600 b`, "\U00030000": `\U00030000`, "\u30000": `\u30000`, "\U0010ffff": `\U0010ffff`,
	} {
		if got := drawable(name); got != want {
			t.Errorf("%q is drawn as %s, want %s", name, got, want)
		}
		if strings.ContainsFunc(Printable(name), textfmt.IsHidden) {
			t.Errorf("the caption of %q is %q, of which part cannot be seen", name, Printable(name))
		}
	}
}

// TestPrintable: the last characters before those that XML cannot hold are printed as they are.
func TestPrintable(t *testing.T) {
	if got := Printable("\ufffc\U00010000"); got != "\ufffc\U00010000" {
		t.Errorf("characters are printed as %q", got)
	}
	for _, s := range []string{"\ufffe", "\uffff"} {
		if Printable(s) == s {
			t.Errorf("%q is printed as it is", s)
		}
	}
}

// TestDrawable: whatever a text has, what is drawn of it has a glyph for each letter, and texts that differ stay so.
func TestDrawable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		for _, r := range drawable(a) {
			if glyphOf(r) == 0 {
				t.Fatalf("%q is drawn as %q", a, drawable(a))
			}
		}
		isPlain := !strings.ContainsRune(a+b, '\\')
		if isPlain && Printable(a) != Printable(b) && drawable(a) == drawable(b) {
			t.Fatalf("%q and %q are both %q", a, b, drawable(a))
		}
	})
}
