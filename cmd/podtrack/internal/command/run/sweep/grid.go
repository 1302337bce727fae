package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
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

// makeSpecs makes the distinct specs of the grid. It reports points that result in the same spec.
func (g gridArgs) makeSpecs(s *sweepRun) error {
	fields := slices.DeleteFunc(slices.Clone(g.keys),
		func(key string) bool { return slices.Contains(sweepKeys, key) || key == "seed" })
	points, err := countPoints(fields, g.values)
	if err != nil {
		return err
	}
	var notes []string
	for n := range points {
		point := gridPointOf(fields, g.values, n)
		before, twice, err := s.add(n, point.lookup(g.values))
		if err != nil && points > 1 {
			err = fmt.Errorf("with %s: %w", point, err)
		}
		if err != nil {
			return err
		}
		if twice {
			notes = append(notes, cmdline.NoteLine(fmt.Sprintf("%s makes the same spec as %s: it is counted once", point,
				gridPointOf(fields, g.values, before))))
		}
	}
	cmdline.PrintSome(s.App.ErrWriter, cmdline.MaxNotices, notes)
	return nil
}

// add makes the spec of the n-th point, with seed 0 and what the programs of its stages declare, unless a point before
// has made it: then it returns that point.
func (s *sweepRun) add(n int, lookup runner.Lookup) (before int, twice bool, err error) {
	if err := s.Context.Context.Err(); err != nil {
		return 0, false, err
	}
	spec, err := s.flags.MakeSpec(s.Context, s.base, lookup, s.stages, s.parseEnv)
	if err != nil {
		return 0, false, err
	}
	spec.Seed = 0
	id, err := schema.RunID(spec, nil)
	if before, twice = s.first[id]; !twice && err == nil {
		s.first[id], s.plan.Specs = n, append(s.plan.Specs, spec)
	}
	return before, twice, err
}

// parseEnv returns the environment that a text names. It parses one once, because a map may be a file and an external
// program has to be asked.
func (s *sweepRun) parseEnv(text string) (schema.Env, error) {
	if env, ok := s.envs[text]; ok {
		return env.Clone(), nil
	}
	env, launcher, err := s.flags.ParseEnv(s.Context, text, s.base.Env)
	if launcher != nil {
		s.launcher = launcher
	}
	if err == nil {
		s.envs[text] = env.Clone()
	}
	return env, err
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
