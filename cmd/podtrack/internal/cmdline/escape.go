package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema/textfmt"

	"golang.org/x/term"
)

// Text from elsewhere, such as another user's store, may contain anything.
// Everything that the program prints goes through an [Output], which escapes control
// sequences and invisible characters. Text within a line goes through
// [textfmt.EscapeLine] as well.

// PrintLine prints text on one line, whatever it contains.
func PrintLine(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, textfmt.EscapeLine(fmt.Sprintf(format, args...)))
	return err
}

// Output is standard output or standard error. It escapes what is written to it, and
// keeps the first error, so that commands need not check each write.
type Output struct {
	Raw io.Writer // for bytes that are not text, and for terminal control sequences

	mu   sync.Mutex
	rest []byte // the first bytes of an incomplete character
	err  error
}

// Write writes text, escaped. It holds back an incomplete character at the end of p
// until the rest of it is written.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := p
	if len(o.rest) > 0 {
		text = append(o.rest, p...)
	}
	complete := len(text) - len(unfinished(text))
	err := o.put(text[:complete])
	o.rest = bytes.Clone(text[complete:])
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// put writes escaped text, unless an earlier write has failed.
func (o *Output) put(text []byte) error {
	if len(text) > 0 && o.err == nil {
		_, o.err = o.Raw.Write(textfmt.EscapeText(text))
	}
	return o.err
}

// Flush writes what was held back, and returns the first error of all writes.
func (o *Output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.put(o.rest) // put keeps the error
	o.rest = nil
	return o.err
}

// unfinished returns the incomplete character at the end of text, nil if there is none.
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

// RawWriter returns the writer below an [Output], and any other writer as it is.
func RawWriter(w io.Writer) io.Writer {
	switch o := w.(type) {
	case *Output:
		return RawWriter(o.Raw)
	case *notes:
		return RawWriter(o.Writer)
	}
	return w
}

// Width returns how many columns of text the output shows: what the variable COLUMNS
// says, else the terminal's width. It is 0 where the output is neither, as in a file.
func (o *Output) Width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := o.Raw.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := RawWriter(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
