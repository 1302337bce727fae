package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
)

// Text from elsewhere, such as a store that somebody else made, may hold anything.
// All that the program prints goes through an [Output], which shows what a terminal
// obeys or hides as escapes; text that stands in a line goes through [schema.EscapeLine], too.

// PrintLine prints text on one line, whatever is in it.
func PrintLine(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, schema.EscapeLine(fmt.Sprintf(format, args...)))
	return err
}

// Output is standard output or standard error. What is written to it is escaped. It
// keeps the first error, so that no command has to look at each.
type Output struct {
	Raw io.Writer // takes bytes that are no text, and what steers a terminal

	mu   sync.Mutex
	rest []byte // the beginning of a character that is not all there yet
	err  error
}

func (o *Output) Write(p []byte) (int, error) {
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

// put writes text escaped, unless an earlier write has failed.
func (o *Output) put(text []byte) error {
	if len(text) > 0 && o.err == nil {
		_, o.err = o.Raw.Write(schema.EscapeText(text))
	}
	return o.err
}

// Flush writes what is left, and returns the first error of all writes.
func (o *Output) Flush() error {
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

// RawWriter returns what is below an output.
func RawWriter(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.Raw
	}
	return w
}
