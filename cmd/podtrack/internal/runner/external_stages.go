package runner

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
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
			Usage: fmt.Sprintf("the run's %s, where it is a program: exec:`CMD`", stage)})
	}
	return flags
}

// ParseStages returns the stages that flags name as programs, nil if none does.
func ParseStages(c *cli.Context) (replay.StageLauncher, error) {
	programs, err := parseStagePrograms(c)
	if programs == nil {
		return nil, err
	}
	return programs, err
}

// stageKey is the key under which a command keeps its programs, which are asked what they declare once.
const stageKey = "stage programs"

func parseStagePrograms(c *cli.Context) (*external.StagePrograms, error) {
	if programs, ok := c.App.Metadata[stageKey].(*external.StagePrograms); ok {
		return programs, nil
	}
	commands := map[string]external.Command{}
	for stage, text := range stageTexts(c) {
		timeout := external.DefaultTimeout
		if c.IsSet(stageTimeout) {
			timeout = c.Duration(stageTimeout)
		}
		if timeout <= 0 {
			return nil, schema.Hint(fmt.Errorf("--%s %v", stageTimeout, timeout), "give a time such as 60s or 5m")
		}
		words, err := external.SplitCommand(strings.TrimPrefix(text, execPrefix))
		if err != nil {
			return nil, err
		}
		commands[stage] = external.Command{Words: words, Timeout: timeout}
	}
	if len(commands) == 0 {
		return nil, nil
	}
	programs := external.NewStagePrograms(commands)
	if c.App.Metadata == nil {
		c.App.Metadata = map[string]any{}
	}
	c.App.Metadata[stageKey] = programs
	return programs, nil
}

// stageTexts returns the texts of flags that name a stage's program, by the stage.
func stageTexts(c *cli.Context) map[string]string {
	texts := map[string]string{}
	for _, stage := range schema.ExternalStages() {
		if text := c.String(stage); strings.HasPrefix(text, execPrefix) {
			texts[stage] = text
		}
	}
	for _, change := range c.StringSlice("set") {
		stage, text, _ := strings.Cut(change, "=")
		if strings.HasPrefix(text, execPrefix) {
			texts[stage] = text
		}
	}
	return texts
}

// SetStage makes a stage of the spec that of the program which flags name.
func SetStage(c *cli.Context, spec *schema.Spec, stage string) error {
	programs, err := parseStagePrograms(c)
	if err != nil {
		return err
	}
	declared, err := programs.QueryStage(c.Context, stage)
	if err == nil {
		spec.SetStage(stage, &declared)
	}
	return err
}

// setStages makes those stages of the spec external that flags name as programs, and returns a lookup of the other
// flags. A spec that was given in a file keeps what it declares, which the program must declare too.
func setStages(c *cli.Context, spec *schema.Spec, lookup Lookup) (Lookup, error) {
	texts := stageTexts(c)
	for _, stage := range schema.ExternalStages() {
		if _, ok := texts[stage]; !ok || spec.Stages.Of(stage) != nil {
			continue
		}
		if err := SetStage(c, spec, stage); err != nil {
			return nil, err
		}
	}
	return func(name string) (string, bool) {
		if _, ok := texts[name]; ok {
			return "", false
		}
		return lookup(name)
	}, nil
}

// stageWords returns the flags with which another command has the same programs of stages.
func stageWords(c *cli.Context) (words []string) {
	texts := stageTexts(c)
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
