package runner

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
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

// ProgramFlags returns the flags of commands that execute runs again, for an environment and stages that are programs.
func (f *Flags) ProgramFlags() []cli.Flag {
	flags := []cli.Flag{
		f.field("env", "the run's environment, where another process runs it: `exec:CMD`, with quotes as for a shell, or "+
			"gym:NAME", ""),
		f.TimeoutFlag(),
	}
	for _, stage := range schema.ExternalStages() {
		flags = append(flags, f.field(stage,
			fmt.Sprintf("the run's %s, where it is a program: `exec:CMD`, with quotes as for a shell", stage), ""))
	}
	return flags
}

// ParsePrograms returns how a recorded run is executed, with the environment and the stages that flags name as
// programs.
func (f *Flags) ParsePrograms() (with replay.Options, err error) {
	for _, stage := range schema.ExternalStages() {
		if text, given := f.Given(stage); given && !IsProgram(text) && !f.isChanged(stage) {
			return with, schema.Hint(fmt.Errorf("--%s %s", stage, textfmt.ShellQuote(text)),
				"a run's %s is part of its spec; --%s only says which program it is where it is one, as exec:CMD", stage, stage)
		}
	}
	if text, given := f.Given("env"); given && !f.isChanged("env") {
		if !IsExternal(text) {
			return with, schema.Hint(fmt.Errorf("--env %s", text),
				"a run's environment is part of its spec; --env only says which program it is where another process "+
					"runs it, as exec:CMD or gym:NAME")
		}
		command, err := f.ExternalCommand(text)
		if err != nil {
			return with, err
		}
		with.Launcher = external.NewProgram(command)
	}
	with.Stages, err = f.ParseStages()
	return with, err
}

// IsProgram reports whether the text of a stage names a program.
func IsProgram(text string) bool { return strings.HasPrefix(text, execPrefix) }

// ParseStages returns the stages that flags name as programs, which are asked once what they declare.
func (f *Flags) ParseStages() (*external.StagePrograms, error) {
	if f.programs != nil {
		return f.programs, nil
	}
	programs, err := f.NewStagePrograms(func(stage string) []string { return []string{f.given[stage]} })
	if err == nil {
		f.programs = programs
	}
	return programs, err
}

// NewStagePrograms returns the stages for which programs are among what is given, as exec:CMD.
func (f *Flags) NewStagePrograms(given func(stage string) []string) (*external.StagePrograms, error) {
	if _, err := f.parseTimeout(); err != nil {
		return nil, err
	}
	commands := map[string][]external.Command{}
	for _, stage := range schema.ExternalStages() {
		for _, text := range given(stage) {
			if !IsProgram(text) {
				continue
			}
			command, err := f.ExternalCommand(text)
			if err != nil {
				return nil, cmdline.FlagError(stage, text, err)
			}
			commands[stage] = append(commands[stage], command)
		}
	}
	return external.NewStagePrograms(commands), nil
}

// SetStage makes a stage of the spec external: the flags name its program.
func (f *Flags) SetStage(c *cli.Context, spec *schema.Spec, stage string) error {
	programs, err := f.ParseStages()
	if err != nil {
		return err
	}
	return f.setStage(c, programs, spec, stage, f.given[stage])
}

// setStage makes a stage of the spec external: text names its program.
func (f *Flags) setStage(
	c *cli.Context, programs *external.StagePrograms, spec *schema.Spec, stage, text string,
) error {
	command, err := f.ExternalCommand(text)
	if err != nil {
		return err
	}
	declared, err := programs.QueryStage(c.Context, stage, command)
	if err != nil {
		return err
	}
	spec.SetStage(stage, &declared)
	return report.CheckMeasures(*spec)
}

// programWords returns the flags with which another command starts the same programs.
func (f *Flags) programWords() (words []string) {
	for _, name := range append([]string{"env"}, schema.ExternalStages()...) {
		if text := f.given[name]; IsExternal(text) {
			words = append(words, "--"+name, text)
		}
	}
	if len(words) > 0 && f.timeout != nil {
		words = append(words, "--timeout", f.timeout.String())
	}
	return words
}
