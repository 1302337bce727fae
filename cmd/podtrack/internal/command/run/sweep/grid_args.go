package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// gridArgs is the user's input for a sweep: the values of each key in order, and the keys in the
// order in which they were given.
type gridArgs struct {
	keys   []string
	values map[string][]string
	study  *studyArgs // that a file describes, nil for a grid
}

func (g *gridArgs) set(key string, values []string) {
	if _, given := g.values[key]; !given {
		g.keys = append(g.keys, key)
	}
	g.values[key] = values
}

// addStudy adds the values of the settings and variants, so that programs among them are known.
func (g *gridArgs) addStudy() {
	for _, key := range g.keys {
		if !slices.Contains(sweepKeys, key) {
			g.study.common = append(g.study.common, schema.Field{Name: key, Value: strings.Join(g.values[key], ",")})
		}
	}
	points := slices.Concat(g.study.settings, g.study.variants)
	for _, in := range g.study.exceptions {
		points = slices.AppendSeq(points, maps.Values(in))
	}
	for _, p := range points {
		for _, f := range p {
			if !slices.Contains(g.values[f.Name], f.Value) {
				g.set(f.Name, append(g.values[f.Name], f.Value))
			}
		}
	}
}

// sweepKeys are the keys of a sweep that are not fields of a spec.
var sweepKeys = []string{"seeds", "iterations", "name", "tag", "keep"}

// listKeys are the sweep keys whose value is a list.
var listKeys = []string{"seeds", "tag", "keep"}

// checkAllowed returns an error if the file of a sweep names a program that no flag names and the user did not allow.
func (f *flags) checkAllowed(g gridArgs, file string) error {
	for _, key := range g.keys {
		i := slices.IndexFunc(g.values[key], func(value string) bool { return isProgram(key, value) })
		if _, typed := f.typed(key); i < 0 || typed || f.AllowExec {
			continue
		}
		program := g.values[key][i]
		return schema.Hint(fmt.Errorf("%s names a program to execute: %s = %q", file, key, program),
			"if you trust that command, give --allow-exec, or --%s %s", key, textfmt.ShellQuote(program))
	}
	return nil
}

// typed returns the values that a flag gives a key, and whether it is given.
func (f *flags) typed(key string) (values []string, given bool) {
	texts := map[string]*string{"seeds": f.Seeds, "iterations": f.Iterations, "name": f.name, "keep": f.Keep}
	text, isKey := texts[key]
	switch {
	case key == "tag":
		return f.tags, f.tags != nil
	case isKey && text == nil:
		return nil, false
	case isKey:
		return []string{*text}, true
	}
	value, given := f.Given(key)
	return splitValues(key, value), given
}

// specKeys returns all keys from which a spec can be made.
func specKeys() []string {
	return textfmt.Map(runner.SpecFields(), func(field runner.SpecField) string { return field.Name })
}

// splitValues splits a list at its commas. It does not split a command, which may contain commas: after one, a list
// of a stage goes on with another command.
func splitValues(field, list string) []string {
	if field == "env" && runner.IsExternal(list) {
		return []string{list}
	}
	var values []string
	if isStage(field) {
		for list != "" && !runner.IsProgram(list) {
			value, rest, more := strings.Cut(list, ",")
			values = append(values, value)
			if list = rest; !more {
				return values
			}
		}
		if runner.IsProgram(list) {
			commands := strings.Split(list, nextProgram)
			for i := range commands[1:] {
				commands[i+1] = nextProgram[1:] + commands[i+1]
			}
			return append(values, commands...)
		}
		return append(values, list)
	}
	return strings.Split(list, ",")
}

// nextProgram is what stands before another command in a list of a stage.
const nextProgram = ",exec:"

// knownKeys returns all keys of a sweep.
func knownKeys() []string { return slices.Concat(sweepKeys, specKeys()) }

// unknownKey returns the error for a key that is not one of a sweep, nor, in a file, one of the others.
func unknownKey(key string, others ...string) error {
	err := fmt.Errorf("unknown field %q", key)
	if slices.Contains(settingKeys, key) {
		return schema.Hint(err, "%s is a key of a [[setting]]", key)
	}
	known := slices.Concat(knownKeys(), others)
	slices.Sort(known)
	return schema.Hint(err, "%s", textfmt.DidYouMean(key, "fields", known))
}

// check returns an error for unknown keys and impossible lists.
func (g gridArgs) check() error {
	for _, key := range g.keys {
		values := g.values[key]
		switch {
		case !slices.Contains(knownKeys(), key):
			return unknownKey(key)
		case key == "seed" && g.study != nil:
			return schema.Hint(errors.New("seed in a study"), `name its seeds, such as seeds = "0-9"`)
		case key == "seed" && len(values) > 1:
			return schema.Hint(fmt.Errorf("%d values of seed", len(values)), "name them as seeds, such as --seeds 0-29")
		case len(values) == 0 || slices.Contains(values, ""):
			return schema.Hint(fmt.Errorf("%s is empty", key),
				"an empty grid has no runs: give values such as %s=A,B, or leave %s out", key, key)
		case len(values) > 1 && slices.Contains(sweepKeys, key) && !slices.Contains(listKeys, key):
			return schema.Hint(fmt.Errorf("%d values of %s", len(values), key), "give one")
		case isStage(key) && slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, nextProgram) }):
			return schema.Hint(fmt.Errorf("%s has a command with %q in it, which begins another one in a list", key,
				nextProgram), "put the command into a script")
		case key == "env" && len(values) > 1 && slices.ContainsFunc(values, runner.IsExternal):
			return schema.Hint(fmt.Errorf("several environments, one of them in another process"),
				"sweep over one such environment at a time")
		}
	}
	if g.values["seed"] != nil && g.values["seeds"] != nil {
		return schema.Hint(fmt.Errorf("seed and seeds together"), "give one of them")
	}
	return nil
}

// parseGridArgs returns the values from the file, overridden by flags.
func (f *flags) parseGridArgs(c *cli.Context) (s gridArgs, err error) {
	s.values = map[string][]string{}
	if c.NArg() == 1 {
		if s, err = readGridFile(c.Context, c.Args().First()); err != nil {
			return s, err
		}
	}
	if err = f.CheckFields(); err != nil {
		return s, err
	}
	if s.study != nil {
		if err := f.checkStudyFlags(s.study); err != nil {
			return s, err
		}
	}
	for _, key := range knownKeys() { // flags override the file
		if values, given := f.typed(key); given {
			s.set(key, values)
		}
	}
	if err = s.check(); err == nil {
		err = f.checkAllowed(s, c.Args().First())
	}
	return s, err
}

// checkStudyFlags returns an error for flags that would change the study that a file describes.
func (f *flags) checkStudyFlags(study *studyArgs) error {
	if f.HasSpec() {
		return schema.Hint(fmt.Errorf("fields of the spec beside study %q", study.Name),
			"write them into the file: as keys at its top, of a setting or of a variant")
	}
	for _, key := range knownKeys() {
		_, given := f.typed(key)
		switch {
		case given && !slices.Contains(sweepKeys, key):
			return schema.Hint(fmt.Errorf("%s beside study %q", key, study.Name),
				"write it into the file: as a key at its top, of a setting or of a variant")
		case given && study.Registered && (key == "seeds" || key == "iterations"):
			return schema.Hint(fmt.Errorf("--%s beside study %q, which is registered", key, study.Name),
				"a registered study is made as its file says; --shard makes a part of it")
		}
	}
	return nil
}

// isStage reports whether a key of a sweep names a stage that can be a program.
func isStage(key string) bool { return slices.Contains(schema.ExternalStages(), key) }

// isProgram reports whether a value of a key of a sweep names a program.
func isProgram(key, value string) bool {
	return key == "env" && runner.IsExternal(value) || isStage(key) && runner.IsProgram(value)
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
