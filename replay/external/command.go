package external

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// ErrCommand says that a command cannot be read.
var ErrCommand = errors.New("cannot read the command")

// DefaultTimeout is how long a program may take to answer.
const DefaultTimeout = 60 * time.Second

// Command is a program that is an environment.
type Command struct {
	Words   []string      // the program and its arguments
	Vars    []string      // added to the environment variables, as name=value
	Timeout time.Duration // of an answer
}

// SplitCommand is the words of a command, as a shell would read them: between blanks, with
// '…', "…" and \ to keep what has a meaning otherwise. Nothing else that a shell
// does is done, and what asks for it is refused.
func SplitCommand(line string) ([]string, error) {
	s := commandParser{rest: line}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, schema.Hint(fmt.Errorf("%w %q: %w", ErrCommand, line, err),
				"podtrack starts it without a shell; for what a shell does write sh -c '…'")
		}
	}
	s.end()
	if len(s.words) == 0 {
		return nil, schema.Hint(fmt.Errorf("%w %q: it has no words", ErrCommand, line), "name a program, as in exec:'python3 env.py'")
	}
	return s.words, nil
}

// commandParser reads a command from the left.
type commandParser struct {
	rest  string
	words []string
	word  strings.Builder
	open  bool // a word has begun
}

const (
	blanks     = " \t\r\n"
	escaping   = `"\` // what \ stands before within "…"
	shellChars = "|&;<>()$`"
)

// next reads a character, or what stands between quotes.
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
			return errors.New("a \\ stands before nothing")
		}
		c, s.rest = s.rest[0], s.rest[1:]
	case strings.IndexByte(shellChars, c) >= 0:
		return fmt.Errorf("%q is for a shell", c)
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
	return fmt.Errorf("a %c is not closed", quote)
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
