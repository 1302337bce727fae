package programs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// errCommand is the error of a command that cannot be parsed.
var errCommand = errors.New("cannot read the command")

// SplitCommand splits a command into words as a shell would: at blanks, with '…', "…" and \ as
// quotes. It rejects everything else that has a meaning for a shell, and a program without a name.
func SplitCommand(line string) ([]string, error) {
	s := commandParser{rest: line}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, fmt.Errorf("%w %q: %w", errCommand, line, err)
		}
	}
	s.end()
	if len(s.words) == 0 || s.words[0] == "" {
		return nil, schema.Hint(fmt.Errorf("%w %q: it names no program", errCommand, line),
			"name one, as in python3 env.py")
	}
	return s.words, nil
}

// commandParser parses a command from left to right.
type commandParser struct {
	rest  string
	words []string
	word  strings.Builder
	open  bool // within a word
}

// quoting is the remedy for wrong quotes.
const quoting = `words are quoted as in a shell: '…' as it is, "…" but for \" and \\, and \ before a single character`

const (
	blanks     = " \t\r\n"
	escaping   = `"\` // characters that \ escapes within "…"
	shellChars = "|&;<>()$`"
)

// next parses a character or a quoted text.
func (c *commandParser) next() error {
	char := c.rest[0]
	c.rest = c.rest[1:]
	switch {
	case strings.IndexByte(blanks, char) >= 0:
		c.end()
		return nil
	case char == '\'' || char == '"':
		return c.quoted(char)
	case char == '\\':
		if c.rest == "" {
			return schema.Hint(errors.New("nothing follows \\"), quoting)
		}
		char, c.rest = c.rest[0], c.rest[1:]
	case strings.IndexByte(shellChars, char) >= 0:
		return schema.Hint(fmt.Errorf("%q has a meaning only in a shell", char),
			"it is started without a shell: put the character in quotes, or write sh -c '…' for what a shell does")
	}
	c.add(char)
	return nil
}

func (c *commandParser) quoted(quote byte) error {
	c.open = true
	for c.rest != "" {
		char := c.rest[0]
		c.rest = c.rest[1:]
		switch {
		case char == quote:
			return nil
		case quote == '"' && char == '\\' && c.rest != "" && strings.IndexByte(escaping, c.rest[0]) >= 0:
			char, c.rest = c.rest[0], c.rest[1:]
		}
		c.add(char)
	}
	return schema.Hint(fmt.Errorf("a %c is not closed", quote), quoting)
}

func (c *commandParser) add(char byte) {
	c.open = true
	c.word.WriteByte(char)
}

func (c *commandParser) end() {
	if c.open {
		c.words = append(c.words, c.word.String())
		c.word.Reset()
		c.open = false
	}
}
