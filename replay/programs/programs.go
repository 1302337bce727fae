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

// Purpose is a reason for which podtrack executes programs.
type Purpose struct {
	Name     string   // what for
	Programs []string // by name; none where the user names them
}

// The purposes. The help topic trust lists them too.
var (
	Environment = Purpose{"an environment in another process", nil}
	Slurm       = Purpose{"a sweep on a cluster", []string{"sbatch", "squeue", "scontrol"}}
	Then        = Purpose{"a command after waiting", nil}
	Commit      = Purpose{"the commit of the current folder", []string{"git"}}
	Browser     = Purpose{"the page in a browser", []string{"xdg-open", "open", "rundll32"}}
)

// Purposes returns all purposes.
func Purposes() []Purpose { return []Purpose{Environment, Slurm, Then, Commit, Browser} }

// Command returns a program of this purpose, to be started with those arguments and killed once
// ctx is cancelled. It returns an error for a program that does not exist or is not one of this
// purpose.
func (p Purpose) Command(ctx context.Context, name string, args ...string) (*Cmd, error) {
	if p.Programs != nil && !slices.Contains(p.Programs, name) {
		return nil, fmt.Errorf("%s does not execute %q", p.Name, name)
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
			"PATH has a folder that is no absolute path: take it out, or name the program by its path")
	}
	return path, err
}
