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
func (s *commandParser) next() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case strings.IndexByte(blanks, c) >= 0:
		s.end()
		return nil
	case c == '\'' || c == '"':
		return s.quoted(c)
	case c == '\\':
		if s.rest == "" {
			return schema.Hint(errors.New("nothing follows \\"), quoting)
		}
		c, s.rest = s.rest[0], s.rest[1:]
	case strings.IndexByte(shellChars, c) >= 0:
		return schema.Hint(fmt.Errorf("%q has a meaning only in a shell", c),
			"it is started without a shell: put the character in quotes, or write sh -c '…' for what a shell does")
	}
	s.add(c)
	return nil
}

func (s *commandParser) quoted(quote byte) error {
	s.open = true
	for s.rest != "" {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == quote:
			return nil
		case quote == '"' && c == '\\' && s.rest != "" && strings.IndexByte(escaping, s.rest[0]) >= 0:
			c, s.rest = s.rest[0], s.rest[1:]
		}
		s.add(c)
	}
	return schema.Hint(fmt.Errorf("a %c is not closed", quote), quoting)
}

func (s *commandParser) add(c byte) {
	s.open = true
	s.word.WriteByte(c)
}

func (s *commandParser) end() {
	if s.open {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.open = false
	}
}
