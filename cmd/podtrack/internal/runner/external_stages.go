package runner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// stageTimeout is the flag for how long a program of a stage may take to answer.
const stageTimeout = "stage-timeout"

// StageTimeoutFlag returns the flag --stage-timeout.
func StageTimeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: stageTimeout,
		Usage: "give the program of a stage `TIME` to answer, such as 60s or 5m", Value: external.DefaultTimeout}
}

// StageFlags returns the flags of commands that execute a run's stages again, for stages that are programs.
func StageFlags() []cli.Flag {
	flags := []cli.Flag{StageTimeoutFlag()}
	for _, stage := range schema.ExternalStages() {
		flags = append(flags, &cli.StringFlag{Name: stage,
			Usage: fmt.Sprintf("the run's %s, where it is a program: `exec:CMD`, with quotes as for a shell", stage)})
	}
	return flags
}

// ParsePrograms returns how a recorded run is executed, with the environment and the stages that flags name as
// programs.
func ParsePrograms(c *cli.Context) (with replay.Options, err error) {
	for _, stage := range schema.ExternalStages() {
		if text := c.String(stage); c.IsSet(stage) && !IsProgram(text) {
			return with, schema.Hint(fmt.Errorf("--%s %s", stage, textform.ShellQuote(text)),
				"a run's %s is part of its spec; --%s only says which program it is where it is one, as exec:CMD", stage, stage)
		}
	}
	if with.Launcher, err = ParseLauncher(c); err == nil {
		with.Stages, err = ParseStages(c)
	}
	return with, err
}

// IsProgram reports whether the text of a stage names a program.
func IsProgram(text string) bool { return strings.HasPrefix(text, execPrefix) }

// stageKey is the key under which a command keeps its programs, which are asked what they declare once.
const stageKey = "stage programs"

// ParseStages returns the stages that flags name as programs.
func ParseStages(c *cli.Context) (*external.StagePrograms, error) {
	if programs, ok := c.App.Metadata[stageKey].(*external.StagePrograms); ok {
		return programs, nil
	}
	texts := map[string][]string{}
	for stage, text := range stageTexts(c) {
		texts[stage] = []string{text}
	}
	programs, err := NewStagePrograms(c, texts)
	if c.App.Metadata == nil {
		c.App.Metadata = map[string]any{}
	}
	if err == nil {
		c.App.Metadata[stageKey] = programs
	}
	return programs, err
}

// NewStagePrograms returns the stages whose programs the texts name, as exec:CMD by the stage.
func NewStagePrograms(c *cli.Context, texts map[string][]string) (*external.StagePrograms, error) {
	if _, err := parseTimeout(c, stageTimeout); err != nil {
		return nil, err
	}
	commands := map[string][]external.Command{}
	for stage, list := range texts {
		for _, text := range list {
			command, err := parseStageCommand(c, stage, text)
			if err != nil {
				return nil, err
			}
			commands[stage] = append(commands[stage], command)
		}
	}
	return external.NewStagePrograms(commands), nil
}

// parseStageCommand returns the command that exec:CMD stands for.
func parseStageCommand(c *cli.Context, stage, text string) (command external.Command, err error) {
	if command.Timeout, err = parseTimeout(c, stageTimeout); err != nil {
		return command, err
	}
	if command.Words, err = programs.SplitCommand(strings.TrimPrefix(text, execPrefix)); err != nil {
		err = cmdline.FlagError(stage, text, err)
	}
	return command, err
}

// stageTexts returns the texts of flags that name a stage's program, by the stage.
func stageTexts(c *cli.Context) map[string]string {
	texts := map[string]string{}
	for _, stage := range schema.ExternalStages() {
		if text := c.String(stage); IsProgram(text) {
			texts[stage] = text
		}
	}
	for _, change := range c.StringSlice("set") {
		stage, text, _ := strings.Cut(change, "=")
		if IsProgram(text) {
			texts[stage] = text
		}
	}
	return texts
}

// SetStage makes a stage of the spec that of the program which flags name.
func SetStage(c *cli.Context, spec *schema.Spec, stage string) error {
	programs, err := ParseStages(c)
	if err != nil {
		return err
	}
	return setStage(c, programs, spec, stage, stageTexts(c)[stage])
}

// setStage makes a stage of the spec that of the program which a text names.
func setStage(c *cli.Context, programs *external.StagePrograms, spec *schema.Spec, stage, text string) error {
	command, err := parseStageCommand(c, stage, text)
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

// ParseCheckedSpec returns the spec that flags describe without the stages that they name as programs, and these, of
// which there is at least one. No program is asked anything.
func ParseCheckedSpec(c *cli.Context) (schema.Spec, *external.StagePrograms, error) {
	spec, err := StartingSpec(c)
	if err != nil {
		return spec, nil, err
	}
	programs, err := ParseStages(c)
	texts, given := stageTexts(c), spec.Env
	if err == nil && len(texts) == 0 {
		err = schema.Hint(errors.New("which stage is to be checked?"), "name its program: --%s exec:CMD",
			strings.Join(schema.ExternalStages(), " exec:CMD, --"))
	}
	if err != nil {
		return spec, nil, err
	}
	for stage := range texts {
		if spec.Stages.Of(stage) != nil {
			return spec, nil, schema.Hint(fmt.Errorf("--%s with a spec that has an external %s", stage, stage),
				"leave --spec out, or the %s of the spec", stage)
		}
	}
	lookup := func(name string) (string, bool) {
		_, program := texts[name]
		return c.String(name), c.IsSet(name) && !program
	}
	spec, err = MakeSpec(spec, lookup, !c.IsSet("spec"), func(text string) (schema.Env, error) {
		env, _, err := ParseEnv(c, text, given)
		return env, err
	})
	if err == nil && spec.Env.External != nil && texts[schema.CollectStage] == "" {
		err = schema.Hint(fmt.Errorf("stages in environment %q, which runs in another process", spec.Env.Name),
			"check them in an environment of podtrack, or with the program that takes the steps: --%s exec:CMD",
			schema.CollectStage)
	}
	return spec, programs, err
}

// SetStages makes those stages of the spec external that texts name as programs, and returns a lookup of the other
// fields. A spec that was given in a file keeps what it declares, which the program must declare too.
func SetStages(
	c *cli.Context, spec *schema.Spec, programs *external.StagePrograms, texts map[string]string, lookup Lookup,
) (Lookup, error) {
	for _, stage := range schema.ExternalStages() {
		if text, ok := texts[stage]; ok && spec.Stages.Of(stage) == nil {
			if err := setStage(c, programs, spec, stage, text); err != nil {
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

// StageWords returns the flags with which another command has the programs that texts name, by the stage.
func StageWords(c *cli.Context, texts map[string]string) (words []string) {
	for _, stage := range schema.ExternalStages() {
		if text, ok := texts[stage]; ok {
			words = append(words, "--"+stage, text)
		}
	}
	if len(words) > 0 && c.IsSet(stageTimeout) {
		words = append(words, "--"+stageTimeout, fmt.Sprint(c.Value(stageTimeout)))
	}
	return words
}
