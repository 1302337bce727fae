package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

// runCommand runs a command of Slurm's, which reads stdin, and returns what it printed.
func runCommand(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	c, err := programs.Slurm.Command(ctx, name, args...)
	if err != nil {
		return "", explainAbsence(name, err)
	}
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %w: %s", name, ErrRefused, err, lastLines(stderr.String()))
	}
	return stdout.String(), nil
}

// adviseIfNone adds advice to an error that has none.
func adviseIfNone(err error, advice schema.Advice) error {
	if schema.Remedy(err) != "" {
		return err
	}
	return schema.Advise(err, advice)
}

var (
	// ErrNoSlurm is the error of a machine without Slurm.
	ErrNoSlurm = errors.New("there is no Slurm here")
	// ErrRefused is the error of a Slurm command that failed.
	ErrRefused = errors.New("refused")
)

// commandTimeout limits the duration of a Slurm command.
const commandTimeout = 2 * time.Minute

// explainAbsence returns an [ErrNoSlurm] for a program that is not there.
func explainAbsence(name string, err error) error {
	if !errors.Is(err, programs.ErrNotFound) {
		return err
	}
	return schema.Advise(fmt.Errorf("%w: %s is not on PATH", ErrNoSlurm, name), AdviceNoSlurm)
}

// lastLines returns the last lines of a command's output, as one line of limited length.
func lastLines(text string) string {
	const most = 600
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}
