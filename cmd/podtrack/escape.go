package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
)

// Text from elsewhere, such as a store that somebody else made, may hold anything.
// All that the program prints goes through an [output], which shows what a terminal
// obeys or hides as escapes; text that stands in a line goes through [oneLine], too.

// escape returns text with characters that steer a terminal or cannot be seen as \u
// escapes, which JSON reads as the same text, and bytes that are no UTF-8 as \x
// escapes. Lines and tabs stay.
func escape(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/4)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case schema.IsHidden(r):
			out = appendEscape(out, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// oneLine returns text as it is shown within a line: escaped, and line breaks and
// tabs as \n and \t.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\n\t") {
		text = lineEscapes.Replace(text)
	}
	if isPlain(text) {
		return text
	}
	return string(escape([]byte(text)))
}

var lineEscapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// isPlain reports whether nothing in the text has to be escaped.
func isPlain[T string | []byte](text T) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf {
			rest := string(text[i:])
			return utf8.ValidString(rest) && !strings.ContainsFunc(rest, schema.IsHidden)
		} else if schema.IsHidden(rune(c)) {
			return false
		}
	}
	return true
}

// appendEscape appends \u and the character's number, as two surrogates where JSON
// takes two.
func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// output is standard output or standard error. What is written to it is escaped. It
// keeps the first error, so that no command has to look at each.
type output struct {
	raw io.Writer // takes bytes that are no text, and what steers a terminal

	mu   sync.Mutex
	rest []byte // the beginning of a character that is not all there yet
	err  error
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := p
	if len(o.rest) > 0 {
		text = append(o.rest, p...)
	}
	whole := len(text) - len(unfinished(text))
	err := o.put(text[:whole])
	o.rest = bytes.Clone(text[whole:])
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// put writes text escaped.
func (o *output) put(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := o.raw.Write(escape(text))
	if o.err == nil {
		o.err = err
	}
	return err
}

// flush writes what is left, and returns the first error of all writes.
func (o *output) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.put(o.rest) // which keeps the error
	o.rest = nil
	return o.err
}

// unfinished returns the beginning of a character in which text ends, if it does.
func unfinished(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return nil
			}
			return tail
		}
	}
	return nil
}

// rawWriter returns what is below an output.
func rawWriter(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.raw
	}
	return w
}
