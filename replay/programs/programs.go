package programs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// Cmd is a program that can be started.
type Cmd = exec.Cmd

// ExitError is the error of a program that ended with another status than 0.
type ExitError = exec.ExitError

// ErrNotFound is the error of a program that does not exist.
var ErrNotFound = exec.ErrNotFound

// Use is a reason for which podtrack executes programs.
type Use struct {
	Name     string   // what for
	Programs []string // by name; none if the user names them
}

// The uses. The help topic trust lists them too.
var (
	Environment = Use{"an environment in another process", nil}
	Commit      = Use{"the commit of the current folder", []string{"git"}}
	Browser     = Use{"the page in a browser", []string{"xdg-open", "open", "rundll32"}}
)

// Uses returns all uses.
func Uses() []Use { return []Use{Environment, Commit, Browser} }

// Command returns a program of this purpose, to be started with those arguments and killed once
// ctx is cancelled. It returns an error for a program that does not exist or is not one of this
// purpose.
func (u Use) Command(ctx context.Context, name string, args ...string) (*Cmd, error) {
	if u.Programs != nil && !slices.Contains(u.Programs, name) {
		return nil, fmt.Errorf("%s does not execute %q", u.Name, name)
	}
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, path, args...), nil
}

// Find returns the path of a program.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	found := path != "" && (err == nil || errors.Is(err, exec.ErrDot))
	if found && filepath.Base(name) == name && !filepath.IsAbs(path) {
		return "", schema.Hint(fmt.Errorf("%s is found as %s: %w", name, path, exec.ErrDot),
			"PATH contains a relative folder: remove it, or give the program's path")
	}
	return path, err
}
