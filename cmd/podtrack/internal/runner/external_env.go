package runner

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Prefixes of --env for environments in another process.
const (
	execPrefix = "exec:"
	gymPrefix  = "gym:"
)

// envTimeout is the flag for how long an environment in another process may take to answer.
const envTimeout = "env-timeout"

// TimeoutFlag returns the flag --env-timeout.
func TimeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: envTimeout,
		Usage: "give an environment in another process `TIME` to answer, such as 60s or 5m",
		Value: external.DefaultTimeout}
}

// AllowExecFlag returns the flag --allow-exec.
func AllowExecFlag() cli.Flag {
	return &cli.BoolFlag{Name: AllowExec,
		Usage: "execute the programs that FILE names; without it nothing in a file is executed"}
}

// ExternalFlags returns the flags of commands that act in a run's environment again, for
// environments in another process.
func ExternalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "env",
			Usage: "the run's environment, where another process runs it: `exec:CMD`, with quotes as for a shell, or gym:NAME"},
		TimeoutFlag(),
	}
}

// ParseLauncher returns the launcher of the environment that --env names, nil if it is not
// given.
func ParseLauncher(c *cli.Context) (replay.EnvLauncher, error) {
	if !c.IsSet("env") {
		return nil, nil
	}
	text := c.String("env")
	if !IsExternal(text) {
		return nil, schema.Hint(fmt.Errorf("--env %s", text),
			"a run's environment is part of its spec; --env only says which program it is where another process "+
				"runs it, as exec:CMD or gym:NAME")
	}
	command, err := ExternalCommand(c, text)
	if err != nil {
		return nil, err
	}
	return external.NewProgram(command), nil
}

// askExternal asks the program of --env which environment it is, and returns it as the
// launcher. If spec was read from a file and is an environment in another process, it is that
// one, which the program must declare.
func askExternal(c *cli.Context, text string, spec schema.Env) (schema.Env, replay.EnvLauncher, error) {
	command, err := ExternalCommand(c, text)
	if err != nil {
		return schema.Env{}, nil, err
	}
	program := external.NewProgram(command)
	if spec.External != nil {
		return spec, program, program.CheckEnv(c.Context, spec)
	}
	env, err := program.QueryEnv(c.Context)
	if err == nil {
		err = report.CheckParameters(env)
	}
	return env, program, err
}

// ExternalWords returns the flags with which another command acts in env as this one
// does, nil if env is not in another process.
func ExternalWords(c *cli.Context, env string) (words []string) {
	if !IsExternal(env) {
		return nil
	}
	words = []string{"--env", env}
	if c.IsSet(envTimeout) {
		words = append(words, "--"+envTimeout, fmt.Sprint(c.Value(envTimeout)))
	}
	return words
}

// IsExternal reports whether the text of --env names an environment in another process.
func IsExternal(text string) bool {
	return strings.HasPrefix(text, execPrefix) || strings.HasPrefix(text, gymPrefix)
}

// pythonVariable is the environment variable that names the Python with Gymnasium.
const pythonVariable = "PODTRACK_PYTHON"

// ExternalCommand returns the command that exec:CMD or gym:NAME stands for.
func ExternalCommand(c *cli.Context, text string) (external.Command, error) {
	timeout, err := parseTimeout(c, envTimeout)
	if err != nil {
		return external.Command{}, err
	}
	if name, ok := strings.CutPrefix(text, gymPrefix); ok {
		return external.Gym(name, cmp.Or(os.Getenv(pythonVariable), "python3"), timeout)
	}
	words, err := programs.SplitCommand(strings.TrimPrefix(text, execPrefix))
	return external.Command{Words: words, Timeout: timeout}, err
}

// parseTimeout returns how long a program may take to answer, by a flag.
func parseTimeout(c *cli.Context, flag string) (time.Duration, error) {
	timeout := external.DefaultTimeout
	if c.IsSet(flag) {
		timeout = c.Duration(flag)
	}
	if timeout <= 0 {
		return 0, schema.Hint(fmt.Errorf("--%s %v", flag, timeout), "give a time such as 60s or 5m")
	}
	return timeout, nil
}

// AllowExec is the name of the flag that allows files to name programs.
const AllowExec = "allow-exec"
