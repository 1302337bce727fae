package external

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// ErrCommand is the error of a command that cannot be parsed.
var ErrCommand = errors.New("cannot read the command")

// DefaultTimeout is the default time limit of an answer.
const DefaultTimeout = 60 * time.Second

// Command is the command that starts an external environment.
type Command struct {
	Name    string        // of the program in errors, its path if empty
	Words   []string      // the program and its arguments
	Vars    []string      // added to the environment variables, as name=value
	Timeout time.Duration // of an answer

	isAdapter  bool     // for Gymnasium: what it refuses at hello is what it was asked for
	Extensions []string // that the program is offered; nil for all

	// recorded returns the command for an environment that a run has recorded, if that
	// can be another one; nil otherwise.
	recorded func(schema.Env) Command
}

// forRecorded returns the command that starts an environment as it was when it was recorded.
func (c Command) forRecorded(env schema.Env) Command {
	if c.recorded == nil {
		return c
	}
	return c.recorded(env)
}

// key returns a text that tells commands apart which may start different programs.
func (c Command) key() string { return strings.Join(slices.Concat(c.Words, c.Vars), "\x00") }

// SplitCommand splits a command into words as a shell would: at blanks, with '…', "…" and \ as
// quotes. It rejects everything else that has a meaning for a shell.
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
		return nil, schema.Hint(fmt.Errorf("%w %q: it has no words", ErrCommand, line),
			"name a program, as in exec:'python3 env.py'")
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
