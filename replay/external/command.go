package external

import (
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

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
}

// forRecorded returns the command that starts an environment as it was when it was recorded.
func (c Command) forRecorded(env schema.Env) Command {
	if !c.isAdapter {
		return c
	}
	return c.withFound(env)
}

// key returns a text that tells commands apart which may start different programs.
func (c Command) key() string { return strings.Join(slices.Concat(c.Words, c.Vars), "\x00") }
