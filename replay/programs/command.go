package programs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// errCommand is the error of a command that cannot be parsed.
var errCommand = errors.New("cannot read the command")

// quoting is the remedy for wrong quotes.
const quoting = `words are quoted as in a shell: '…' as it is, "…" but for \" and \\, and \ before a single character`

const (
	blanks     = " \t\r\n"
	quotes     = `'"`
	escaping   = `"\` // characters that \ escapes within "…"
	shellChars = "|&;<>()$`"
)

// SplitCommand splits a command into words as a shell would: at blanks, with '…', "…" and \ as
// quotes. It rejects everything else that has a meaning for a shell, and a program without a name.
func SplitCommand(line string) (words []string, err error) {
	var word []byte // nil between words
	fail := func(remedy, format string, args ...any) error {
		return schema.Hint(fmt.Errorf("%w %q: %w", errCommand, line, fmt.Errorf(format, args...)), "%s", remedy)
	}
	quote := byte(0) // the open one
	for rest := line; rest != ""; {
		char := rest[0]
		rest = rest[1:]
		switch isOpen := quote != 0; {
		case char == quote:
			quote = 0
			continue
		case char == '\\' && !isOpen, char == '\\' && quote == '"' && rest != "" && strings.Contains(escaping, rest[:1]):
			if rest == "" {
				return nil, fail(quoting, "nothing follows \\")
			}
			char, rest = rest[0], rest[1:]
		case isOpen:
		case strings.IndexByte(blanks, char) >= 0:
			if word != nil {
				words, word = append(words, string(word)), nil
			}
			continue
		case strings.IndexByte(quotes, char) >= 0:
			quote, word = char, append([]byte{}, word...)
			continue
		case strings.IndexByte(shellChars, char) >= 0:
			return nil, fail("it is started without a shell: put the character in quotes, or write sh -c '…' for what a "+
				"shell does", "%q has a meaning only in a shell", char)
		}
		word = append(word, char)
	}
	if word != nil {
		words = append(words, string(word))
	}
	switch {
	case quote != 0:
		return nil, fail(quoting, "a %c is not closed", quote)
	case len(words) == 0 || words[0] == "":
		return nil, fail("name one, as in python3 env.py", "it names no program")
	}
	return words, nil
}
