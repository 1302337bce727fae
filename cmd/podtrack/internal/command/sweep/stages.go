package sweep

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// stageSets are the programs of a sweep's stages: a set for each combination of those that the grid names. A run is
// executed with the first set that declares what its spec has. It is a StageLauncher of package replay.
type stageSets struct {
	sets []*external.StagePrograms
	keys []string // of the sets: the texts that name their programs
}

// of returns the set of the programs that texts name, by the stage.
func (x *stageSets) of(c *cli.Context, texts map[string]string) (*external.StagePrograms, error) {
	var words []string
	for _, stage := range schema.ExternalStages() {
		words = append(words, texts[stage])
	}
	key := strings.Join(words, "\n")
	if i := slices.Index(x.keys, key); i >= 0 {
		return x.sets[i], nil
	}
	set, err := runner.NewStagePrograms(c, texts)
	if err == nil && set != nil {
		x.sets, x.keys = append(x.sets, set), append(x.keys, key)
	}
	return set, err
}

// addAll adds a set for each combination of the programs that the arguments name.
func (x *stageSets) addAll(c *cli.Context, args gridArgs) error {
	stages := slices.DeleteFunc(slices.Clone(args.keys), func(key string) bool { return !isStage(key) })
	points := 1
	for _, stage := range stages {
		points *= len(args.values[stage])
	}
	for n := range points {
		if _, err := x.of(c, gridPointOf(stages, args.values, n).stageTexts()); err != nil {
			return err
		}
	}
	return nil
}

// find returns the set that has every declared stage. The error is that of a set that has another version of one, if
// there is such a set.
func (x *stageSets) find(ctx context.Context, declared *schema.Stages) (*external.StagePrograms, error) {
	names := declared.Names()
	if len(names) == 0 {
		return external.NewStagePrograms(nil), nil
	}
	var lacking, other error
	for _, set := range x.sets {
		switch err := set.CheckStages(ctx, declared); {
		case err == nil:
			return set, nil
		case errors.Is(err, pod.ErrNoStage):
			lacking = cmp.Or(lacking, err)
		default:
			other = cmp.Or(other, err)
		}
	}
	if lacking == nil && other == nil {
		lacking = pod.NewNoStageError(names[0], schema.Spec{Stages: declared})
	}
	return nil, cmp.Or(other, lacking)
}

// CheckStages implements StageLauncher of package replay.
func (x *stageSets) CheckStages(ctx context.Context, declared *schema.Stages) error {
	_, err := x.find(ctx, declared)
	return err
}

// LaunchStages implements StageLauncher of package replay.
func (x *stageSets) LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error) {
	set, err := x.find(ctx, declared)
	if err != nil {
		return pod.StageFuncs{}, err
	}
	return set.LaunchStages(ctx, declared)
}

// Code returns the code of the programs, as package replay's CodeStageLauncher has it.
func (x *stageSets) Code(declared *schema.Stages) []tracker.Program {
	set, err := x.find(context.Background(), declared) // whose programs CheckStages has asked
	if err != nil {
		return nil
	}
	return set.Code(declared)
}

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

// programTexts returns, for each stage of which the arguments name programs, the list of these as a flag has it.
func (s gridArgs) programTexts() map[string]string {
	texts := map[string]string{}
	for _, stage := range schema.ExternalStages() {
		programs := slices.DeleteFunc(slices.Clone(s.values[stage]),
			func(text string) bool { return !runner.IsProgram(text) })
		if len(programs) > 0 {
			texts[stage] = strings.Join(programs, ",")
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
