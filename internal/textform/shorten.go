package textform

import (
	"strings"
	"unicode/utf8"
)

// Ellipsis stands for what a text leaves out.
const Ellipsis = "…"

// Shorten returns a text of at most so many characters: one that is longer ends with an ellipsis, after a whole word if
// one is near.
func Shorten(text string, most int) string {
	if most = max(most, 1); utf8.RuneCountInString(text) <= most {
		return text
	}
	end := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	kept := text[:end]
	if space := strings.LastIndexByte(kept, ' '); space > end/2 {
		return strings.TrimRight(kept[:space], " ,:;") + " " + Ellipsis
	}
	return kept + Ellipsis
}
