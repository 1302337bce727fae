package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// countPoints returns the number of points of a grid, or an error if there are more than a plan can have specs.
func countPoints(fields []string, values map[string][]string) (points int, err error) {
	points = 1
	for _, f := range fields {
		if points *= len(values[f]); points > runset.MaxPlanSpecs {
			return 0, schema.Hint(fmt.Errorf("a grid of more than %d specs", runset.MaxPlanSpecs),
				"split it into several sweeps")
		}
	}
	return points, nil
}

// makeSpecs returns the distinct specs of the grid, with seed 0. It reports points that result in
// the same spec.
func makeSpecs(
	c *cli.Context, base schema.Spec, args gridArgs, envs *envParser, stages *external.StagePrograms,
) (specs []schema.Spec, err error) {
	fields := slices.DeleteFunc(slices.Clone(args.keys),
		func(key string) bool { return slices.Contains(sweepKeys, key) || key == "seed" })
	points, err := countPoints(fields, args.values)
	if err != nil {
		return nil, err
	}
	first := map[schema.Digest]int{}
	var notes []string
	for n := range points {
		if err := c.Context.Err(); err != nil {
			return nil, err
		}
		point := gridPointOf(fields, args.values, n)
		spec, err := point.makeSpec(c, base, point.lookup(args.values), envs, stages)
		if err != nil {
			return nil, point.explain(err, points)
		}
		spec.Seed = 0
		before, twice, err := addSpec(first, spec, n)
		if err != nil {
			return nil, err
		}
		if twice {
			notes = append(notes, cmdline.NoteLine(fmt.Sprintf("%s makes the same spec as %s: it is counted once", point,
				gridPointOf(fields, args.values, before))))
			continue
		}
		specs = append(specs, spec)
	}
	cmdline.PrintSome(c.App.ErrWriter, cmdline.MaxNotices, notes)
	return specs, nil
}

// addSpec adds a spec with its place to the first places of specs. If the spec is in them it returns that place.
func addSpec[T any](first map[schema.Digest]T, spec schema.Spec, place T) (before T, twice bool, err error) {
	id, err := schema.RunID(spec, nil)
	if before, twice = first[id]; !twice {
		first[id] = place
	}
	return before, twice, err
}

// makeSpec returns the spec of the point, with what the programs of its stages declare.
func (g gridPoint) makeSpec(
	c *cli.Context, spec schema.Spec, lookup runner.Lookup, envs *envParser, stages *external.StagePrograms,
) (schema.Spec, error) {
	before, texts := spec.Env, g.stageTexts()
	lookup, err := envs.flags.SetStages(c, &spec, stages, texts, lookup)
	if err != nil {
		return spec, err
	}
	return runner.MakeSpec(spec, lookup, !envs.flags.HasSpec(), envs.parse(c, before))
}

// gridPoint is one value for each field.
type gridPoint []schema.Field

// gridPointOf returns the n-th combination of values. The last field changes fastest.
func gridPointOf(fields []string, values map[string][]string, n int) gridPoint {
	p := make(gridPoint, len(fields))
	for i := len(fields) - 1; i >= 0; i-- {
		list := values[fields[i]]
		p[i] = schema.Field{Name: fields[i], Value: list[n%len(list)]}
		n /= len(list)
	}
	return p
}

// lookup returns the values from which a spec is made. In a grid over several rules or learners,
// it leaves out kappa or sweeps where the rule or the learner does not use it.
func (g gridPoint) lookup(values map[string][]string) runner.Lookup {
	given := map[string]string{}
	for _, f := range g {
		given[f.Name] = f.Value
	}
	if rule, err := schema.Select(given["select"]).ParseRule(); err == nil && !rule.UsesKappa() &&
		len(values["select"]) > 1 {
		delete(given, "kappa")
	}
	if !schema.Learner(given["learner"]).UsesSweeps() && len(values["learner"]) > 1 {
		delete(given, "sweeps")
	}
	return func(name string) (string, bool) {
		text, ok := given[name]
		return text, ok
	}
}

func (g gridPoint) String() string {
	return strings.Join(textfmt.Map(g, func(f schema.Field) string { return f.Name + "=" + f.Value }), " ")
}

// explain adds the point to an error if there are several points.
func (g gridPoint) explain(err error, points int) error {
	if points == 1 {
		return err
	}
	return fmt.Errorf("with %s: %w", g, err)
}

// envParser parses environments once each, because a map may be a file and an external program
// has to be asked.
type envParser struct {
	flags    *flags
	known    map[string]schema.Env
	launcher replay.EnvLauncher // of the external one, nil if there is none
}

func (e *envParser) parse(c *cli.Context, before schema.Env) func(string) (schema.Env, error) {
	return func(text string) (schema.Env, error) {
		if env, ok := e.known[text]; ok {
			return env.Clone(), nil
		}
		env, launcher, err := e.flags.ParseEnv(c, text, before)
		if launcher != nil {
			e.launcher = launcher
		}
		if err == nil {
			e.known[text] = env.Clone()
		}
		return env, err
	}
}
