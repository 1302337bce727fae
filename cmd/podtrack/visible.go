package main

import (
	"bytes"
	"fmt"
	"io"
)

// visible shows bytes that a terminal obeys as what they are, since a store or an
// archive that somebody else made may hold any text. Lines and tabs stay.
func visible(text []byte) []byte {
	if bytes.IndexFunc(text, obeyed) < 0 {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == 0xc2 && i+1 < len(text) && text[i+1] < 0xa0 { // U+0080 to U+009F in UTF-8
			i++
			c = text[i]
		} else if !obeyed(rune(c)) || c >= 0x80 {
			out = append(out, c)
			continue
		}
		out = fmt.Appendf(out, `\u%04x`, c) // which is JSON too
	}
	return out
}

// obeyed are the control characters but for line feed and tab.
func obeyed(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }

// visibleWriter lets nothing through that is not [visible].
type visibleWriter struct{ io.Writer }

func (w visibleWriter) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(visible(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
