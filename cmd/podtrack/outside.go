package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
)

// The beginnings of what names an environment in another process.
const (
	execPrefix = "exec:"
	gymPrefix  = "gym:"
)

func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "env-timeout", Usage: "how long an environment in another process may take to answer", Value: external.DefaultTimeout}
}

// isOutside says whether --env names an environment in another process.
func isOutside(text string) bool {
	return strings.HasPrefix(text, execPrefix) || strings.HasPrefix(text, gymPrefix)
}

// outsideCommand is the command that exec:CMD or gym:NAME stands for.
func outsideCommand(c *cli.Context, text string) (external.Command, error) {
	timeout := c.Duration("env-timeout")
	if timeout <= 0 {
		return external.Command{}, schema.Hint(fmt.Errorf("--env-timeout %v", timeout), "give a time such as 60s or 5m")
	}
	if name, ok := strings.CutPrefix(text, gymPrefix); ok {
		return external.Gym(name, cmp.Or(os.Getenv(external.PythonVariable), "python3"), timeout)
	}
	words, err := external.Split(strings.TrimPrefix(text, execPrefix))
	return external.Command{Words: words, Timeout: timeout}, err
}
