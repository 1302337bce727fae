package runner

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

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
	if with.Launcher, err = f.ParseLauncher(); err == nil {
		with.Stages, err = f.ParseStages()
	}
	return with, err
}

// IsProgram reports whether the text of a stage names a program.
func IsProgram(text string) bool { return strings.HasPrefix(text, execPrefix) }

// ParseStages returns the stages that flags name as programs, which are asked once what they declare.
func (f *Flags) ParseStages() (*external.StagePrograms, error) {
	if f.programs != nil {
		return f.programs, nil
	}
	texts := map[string][]string{}
	for stage, text := range f.stageTexts() {
		texts[stage] = []string{text}
	}
	programs, err := f.NewStagePrograms(texts)
	if err == nil {
		f.programs = programs
	}
	return programs, err
}

// NewStagePrograms returns the stages whose programs the texts name, as exec:CMD by the stage.
func (f *Flags) NewStagePrograms(texts map[string][]string) (*external.StagePrograms, error) {
	if _, err := f.parseTimeout(); err != nil {
		return nil, err
	}
	commands := map[string][]external.Command{}
	for stage, list := range texts {
		for _, text := range list {
			command, err := f.parseStageCommand(stage, text)
			if err != nil {
				return nil, err
			}
			commands[stage] = append(commands[stage], command)
		}
	}
	return external.NewStagePrograms(commands), nil
}

// parseStageCommand returns the command that exec:CMD stands for.
func (f *Flags) parseStageCommand(stage, text string) (command external.Command, err error) {
	if command.Timeout, err = f.parseTimeout(); err != nil {
		return command, err
	}
	if command.Words, err = programs.SplitCommand(strings.TrimPrefix(text, execPrefix)); err != nil {
		err = cmdline.FlagError(stage, text, err)
	}
	return command, err
}

// stageTexts returns the texts of flags that name a stage's program, by the stage.
func (f *Flags) stageTexts() map[string]string {
	texts := map[string]string{}
	for _, stage := range schema.ExternalStages() {
		if text := f.given[stage]; IsProgram(text) {
			texts[stage] = text
		}
	}
	return texts
}

// SetStage makes a stage of the spec external: the flags name its program.
func (f *Flags) SetStage(c *cli.Context, spec *schema.Spec, stage string) error {
	programs, err := f.ParseStages()
	if err != nil {
		return err
	}
	return f.setStage(c, programs, spec, stage, f.stageTexts()[stage])
}

// setStage makes a stage of the spec external: text names its program.
func (f *Flags) setStage(
	c *cli.Context, programs *external.StagePrograms, spec *schema.Spec, stage, text string,
) error {
	command, err := f.parseStageCommand(stage, text)
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

// SetStages makes the stages of the spec external for which texts name programs, and returns a lookup of the other
// fields. A spec that was read from a file keeps its declarations, and the programs must declare the same.
func (f *Flags) SetStages(
	c *cli.Context, spec *schema.Spec, programs *external.StagePrograms, texts map[string]string, lookup Lookup,
) (Lookup, error) {
	for _, stage := range schema.ExternalStages() {
		if text, ok := texts[stage]; ok && spec.Stages.Of(stage) == nil {
			if err := f.setStage(c, programs, spec, stage, text); err != nil {
				return nil, err
			}
		}
	}
	return func(name string) (string, bool) {
		if _, ok := texts[name]; ok {
			return "", false
		}
		return lookup(name)
	}, nil
}

// ProgramWords returns the flags with which another command starts the same programs: that of env, unless it is built
// in, and those of stages by their names.
func (f *Flags) ProgramWords(env string, stages map[string]string) (words []string) {
	if IsExternal(env) {
		words = append(words, "--env", env)
	}
	for _, stage := range schema.ExternalStages() {
		if text, ok := stages[stage]; ok {
			words = append(words, "--"+stage, text)
		}
	}
	if len(words) > 0 && f.timeout != nil {
		words = append(words, "--timeout", f.timeout.String())
	}
	return words
}
