package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
)

// The beginnings of what names an environment in another process.
const (
	execPrefix = "exec:"
	gymPrefix  = "gym:"
)

func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "env-timeout", Usage: "give an environment in another process `TIME` to answer, such as 60s or 5m", Value: external.DefaultTimeout}
}

func allowExecFlag() cli.Flag {
	return &cli.BoolFlag{Name: allowExec, Usage: "execute the program that FILE names as env; without it nothing in a file is executed"}
}

// outsideFlags are those of commands that act in a run's environment once more, where
// another process runs it.
func outsideFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "env", Usage: "the run's environment, where another process runs it: exec:`CMD` or gym:NAME"},
		timeoutFlag(),
	}
}

// useOutside lets the command act in the environment that --env names, if any.
func useOutside(c *cli.Context) error {
	if !c.IsSet("env") {
		return nil
	}
	text := c.String("env")
	if !isOutside(text) {
		return schema.Hint(fmt.Errorf("--env %s", text), "a run's environment is part of its spec; --env only says which program it is where another process runs it, as exec:CMD or gym:NAME")
	}
	command, err := outsideCommand(c, text)
	if err == nil {
		c.Context = replay.WithEnvLauncher(c.Context, external.NewProgram(command))
	}
	return err
}

// askOutside is the environment that the program of --env declares itself to be, in
// which the command acts from now on. It must be that of a spec that was read, where
// that is of another process too.
func askOutside(c *cli.Context, text string, spec schema.Env) (schema.Env, error) {
	command, err := outsideCommand(c, text)
	if err != nil {
		return schema.Env{}, err
	}
	program := external.NewProgram(command)
	c.Context = replay.WithEnvLauncher(c.Context, program)
	env, err := program.QueryEnv(c.Context)
	if err == nil && spec.External != nil {
		err = program.CheckEnv(c.Context, spec)
	}
	return env, err
}

// outsideWords returns the flags with which a command acts in that environment, if it
// is one in another process, as this one does.
func outsideWords(c *cli.Context, env string) (words []string) {
	if !isOutside(env) {
		return nil
	}
	words = []string{"--env", env}
	if name := "env-timeout"; c.IsSet(name) {
		words = append(words, "--"+name, fmt.Sprint(c.Value(name)))
	}
	return words
}

// isOutside says whether --env names an environment in another process.
func isOutside(text string) bool {
	return strings.HasPrefix(text, execPrefix) || strings.HasPrefix(text, gymPrefix)
}

// outsideCommand is the command that exec:CMD or gym:NAME stands for.
func outsideCommand(c *cli.Context, text string) (external.Command, error) {
	timeout := external.DefaultTimeout
	if c.IsSet("env-timeout") {
		timeout = c.Duration("env-timeout")
	}
	if timeout <= 0 {
		return external.Command{}, schema.Hint(fmt.Errorf("--env-timeout %v", timeout), "give a time such as 60s or 5m")
	}
	if name, ok := strings.CutPrefix(text, gymPrefix); ok {
		return external.Gym(name, cmp.Or(os.Getenv(external.PythonVariable), "python3"), timeout)
	}
	words, err := external.SplitCommand(strings.TrimPrefix(text, execPrefix))
	return external.Command{Words: words, Timeout: timeout}, err
}

const allowExec = "allow-exec"
