package runner

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
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

// TimeoutFlag returns the flag --timeout.
func (f *Flags) TimeoutFlag() cli.Flag {
	return cmdline.Optional(&f.timeout, "timeout",
		"give a program of an environment or a stage `TIME` to answer, such as 60s or 5m", external.DefaultTimeout.String())
}

// AllowExecFlag returns the flag --allow-exec.
func (f *Flags) AllowExecFlag() cli.Flag {
	return cmdline.Flag(&f.AllowExec, "allow-exec",
		"execute the programs that FILE names; without it nothing in a file is executed")
}

// ParseLauncher returns the launcher of the environment that --env names, nil if it is not
// given.
func (f *Flags) ParseLauncher() (replay.EnvLauncher, error) {
	text, given := f.Given("env")
	if !given || f.isChanged("env") {
		return nil, nil
	}
	if !IsExternal(text) {
		return nil, schema.Hint(fmt.Errorf("--env %s", text),
			"a run's environment is part of its spec; --env only says which program it is where another process "+
				"runs it, as exec:CMD or gym:NAME")
	}
	command, err := f.ExternalCommand(text)
	if err != nil {
		return nil, err
	}
	return external.NewProgram(command), nil
}

// HasExternalEnv reports whether --env names an environment in another process.
func (f *Flags) HasExternalEnv() bool { return IsExternal(f.given["env"]) }

// askExternal asks the program of --env which environment it is, and returns its launcher. If spec was read from a file
// and is an environment in another process, the program must declare that one.
func (f *Flags) askExternal(c *cli.Context, text string, spec schema.Env) (schema.Env, replay.EnvLauncher, error) {
	command, err := f.ExternalCommand(text)
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

// IsExternal reports whether the text of --env names an environment in another process.
func IsExternal(text string) bool {
	return strings.HasPrefix(text, execPrefix) || strings.HasPrefix(text, gymPrefix)
}

// pythonVariable is the environment variable that names the Python with Gymnasium.
const pythonVariable = "PODTRACK_PYTHON"

// ExternalCommand returns the command that exec:CMD or gym:NAME stands for.
func (f *Flags) ExternalCommand(text string) (external.Command, error) {
	timeout, err := f.parseTimeout()
	if err != nil {
		return external.Command{}, err
	}
	if name, ok := strings.CutPrefix(text, gymPrefix); ok {
		return external.Gym(name, cmp.Or(os.Getenv(pythonVariable), "python3"), timeout)
	}
	words, err := programs.SplitCommand(strings.TrimPrefix(text, execPrefix))
	return external.Command{Words: words, Timeout: timeout}, err
}

// parseTimeout returns the time that a program has to answer.
func (f *Flags) parseTimeout() (time.Duration, error) {
	if f.timeout == nil {
		return external.DefaultTimeout, nil
	}
	if *f.timeout <= 0 {
		return 0, schema.Hint(fmt.Errorf("--timeout %v", *f.timeout), "give a time such as 60s or 5m")
	}
	return *f.timeout, nil
}
