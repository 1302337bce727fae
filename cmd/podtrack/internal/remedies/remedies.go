// Package remedies words how to mend an error with the commands, flags and variables of podtrack.
// The packages that return the errors attach a [schema.Advice]; which command that takes is known
// here alone.
package remedies

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
)

// Of returns how to mend err, or "" if nothing is known.
func Of(err error) string {
	var h *schema.HintedError
	if !errors.As(err, &h) {
		return ""
	}
	format, known := table[h.Advice]
	if !known {
		return h.Hint
	}
	values := make([]any, len(h.Values))
	for i, v := range h.Values {
		switch v := v.(type) {
		case string:
			values[i] = word(v)
		case schema.Choice:
			values[i] = textform.DidYouMean(v.Word, v.Kind, v.Known)
		default:
			values[i] = v
		}
	}
	return fmt.Sprintf(format, values...)
}

// word is a text in a remedy. The verb %q quotes it as a word of a command, %+q as a path in one.
type word string

// Format implements [fmt.Formatter].
func (w word) Format(f fmt.State, verb rune) {
	switch text := string(w); {
	case verb != 'q':
		fmt.Fprintf(f, fmt.FormatString(f, verb), text)
	case f.Flag('+'):
		fmt.Fprint(f, textform.ShellPath(text))
	default:
		fmt.Fprint(f, textform.ShellQuote(text))
	}
}
