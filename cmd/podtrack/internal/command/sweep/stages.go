package sweep

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/schema"
)

// isStage reports whether a key of a sweep is that of a stage that can be a program.
func isStage(key string) bool { return slices.Contains(schema.ExternalStages(), key) }

// isProgram reports whether a value of a key of a sweep names a program.
func isProgram(key, value string) bool {
	return key == "env" && runner.IsExternal(value) || isStage(key) && runner.IsProgram(value)
}

// stageTexts returns the texts that name programs of stages.
func (p gridPoint) stageTexts() map[string]string {
	texts := map[string]string{}
	for _, f := range p {
		if isStage(f.Name) && runner.IsProgram(f.Value) {
			texts[f.Name] = f.Value
		}
	}
	return texts
}

// stageTexts returns the texts that name programs of stages, by the stage.
func (s gridArgs) stageTexts() map[string][]string {
	texts := map[string][]string{}
	for _, stage := range schema.ExternalStages() {
		for _, text := range s.values[stage] {
			if runner.IsProgram(text) {
				texts[stage] = append(texts[stage], text)
			}
		}
	}
	return texts
}

// checkStages returns an error unless the sweep has the programs of all stages of the runs with those indices.
func (s sweepRun) checkStages(ctx context.Context, todo []int) error {
	last := -1
	for _, i := range todo {
		n := i / s.plan.Seeds.Len()
		spec := s.plan.Specs[n]
		if n == last || spec.Stages == nil {
			continue
		}
		last = n
		if err := s.stages.CheckStages(ctx, spec.Stages); err != nil {
			return err
		}
	}
	return nil
}
