package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Lookup is a function that returns the text given for a field of a spec, and whether
// any is given.
type Lookup func(name string) (text string, ok bool)

// ParseSpec returns the spec that a command's flags describe, and the launcher of its
// environment, as [Flags.ParseEnv] does.
func (f *Flags) ParseSpec(c *cli.Context) (spec schema.Spec, launcher replay.EnvLauncher, err error) {
	if err = f.CheckFields(); err == nil {
		spec, err = f.StartingSpec(c)
	}
	if err != nil {
		return spec, nil, err
	}
	programs, err := f.ParseStages()
	if err != nil {
		return spec, nil, err
	}
	given := spec.Env
	spec, err = f.MakeSpec(c, spec, f.Given, programs, func(text string) (env schema.Env, err error) {
		env, launcher, err = f.ParseEnv(c, text, given)
		return env, err
	})
	takesSeeds := slices.ContainsFunc(c.Command.Flags,
		func(f cli.Flag) bool { return slices.Contains(f.Names(), "seeds") })
	if seed, one := f.Given("seed"); err != nil && one && takesSeeds {
		_, list := runset.ParseSeeds(seed)
		if _, one := strconv.ParseUint(textfmt.PlainInteger(seed), 10, 64); list == nil && one != nil {
			err = schema.Hint(err, "--seeds %s makes one run for each seed", seed)
		}
	}
	return spec, launcher, err
}

// StartingSpec returns the spec that flags change: that of --spec or of a place in a study, or the paper's.
func (f *Flags) StartingSpec(c *cli.Context) (schema.Spec, error) {
	if f.place != nil {
		return *f.place, nil
	}
	spec := pod.PaperSpec()
	if f.spec == "" {
		return spec, nil
	}
	data, err := cmdline.ReadText(c.Context, f.spec, schema.MaxSpecJSON)
	if err == nil {
		err = spec.ReadJSON(bytes.NewReader(data))
	}
	if err != nil && schema.Remedy(err) == "" {
		err = schema.Hint(err, schema.AdvicePrintSpec)
	}
	if err != nil {
		err = fmt.Errorf("read spec %s: %w", f.spec, err)
	}
	return spec, err
}

// MakeSpec sets the given fields in a spec and checks it. Stages for which a program is given become external, unless
// the spec has their declarations, which the programs must then repeat. A spec that is not the user's, but the default,
// is replaced by the one that suits a given environment.
func (f *Flags) MakeSpec(
	c *cli.Context, spec schema.Spec, lookup Lookup, programs *external.StagePrograms,
	parseEnv func(string) (schema.Env, error),
) (schema.Spec, error) {
	if text, ok := lookup("env"); ok {
		env, err := parseEnv(text)
		if err != nil {
			return spec, err
		}
		if spec.Env = env; !f.HasSpec() {
			spec = pod.NewSpec(env)
		}
	}
	named := map[string]bool{}
	for _, stage := range schema.ExternalStages() {
		text, _ := lookup(stage)
		if named[stage] = IsProgram(text); !named[stage] || spec.Stages.Of(stage) != nil {
			continue
		}
		if err := f.setStage(c, programs, &spec, stage, text); err != nil {
			return spec, err
		}
	}
	others := func(name string) (text string, ok bool) {
		text, ok = lookup(name)
		return text, ok && !named[name]
	}
	if err := setFields(others, &spec); err != nil {
		return spec, err
	}
	if _, ok := lookup("sweeps"); ok && !spec.Learner.UsesSweeps() {
		return spec, schema.Hint(fmt.Errorf("--sweeps cannot be used with learner %s, which has no sweeps", spec.Learner),
			"leave --sweeps out")
	}
	rule, err := spec.Select.ParseRule()
	if _, ok := lookup("kappa"); ok && err == nil && !rule.UsesKappa() {
		return spec, schema.Hint(fmt.Errorf("--kappa cannot be used with select %s, which ignores it", spec.Select),
			"leave --kappa out")
	}
	return spec, replay.CheckSpec(&spec)
}

// setFields sets the given fields except env. It sets a reading first, which the other fields must not contradict.
func setFields(lookup Lookup, spec *schema.Spec) error {
	wanted, named := lookup("reading")
	if named {
		if err := spec.SetReading(wanted); err != nil {
			return err
		}
	}
	reading := spec.Reading()
	for _, f := range spec.Fields() {
		text, ok := lookup(f.Name)
		if f.Name == "env" || !ok {
			continue
		}
		if err := spec.Set(f.Name, text); err != nil {
			return err
		}
	}
	for _, name := range otherFields(*spec) {
		text, ok := lookup(name)
		if !ok {
			continue
		}
		if !slices.Contains(schema.OptionalFields(), name) {
			return schema.Hint(fmt.Errorf("%s is not a parameter of environment %q", name, spec.Env.Name),
				"podtrack env lists the environments and their parameters")
		}
		if name == "max_option_steps" && text == autoSteps {
			text = strconv.FormatInt(schema.AutoOptionSteps(spec.Steps, spec.Env.EpisodeLimit()), 10)
		}
		if err := spec.Set(name, text); err != nil {
			return err
		}
	}
	switch {
	case !named || spec.Reading() == reading:
		return nil
	case reading == schema.CoveringEigenoptions:
		return schema.Hint(fmt.Errorf("reading %s contradicts another given field", reading),
			"give the reading, or basis, dataset, select, method, state_set, psi_part, psi_passes, sides, restart and "+
				"option_probability")
	}
	return schema.Hint(
		fmt.Errorf("reading %s contradicts basis %s and dataset %s", reading, spec.Basis, spec.Dataset),
		"give the reading, or basis and dataset")
}

// autoSteps asks for a limit on option steps that suits the spec. The spec gets the resulting number.
const autoSteps = "auto"

// ParseEnv reads the value of --env: an environment's name, grid:MAP (a built-in map or a map file), or a program. It
// asks a program for its declaration and returns its launcher, nil for other environments. spec is the environment that
// the result replaces.
func (f *Flags) ParseEnv(c *cli.Context, text string, spec schema.Env) (schema.Env, replay.EnvLauncher, error) {
	if IsExternal(text) {
		return f.askExternal(c, text, spec)
	}
	env, err := parseBuiltinEnv(c.Context, text)
	if err == nil {
		err = report.CheckParameters(env)
	}
	return env, nil, err
}

func parseBuiltinEnv(ctx context.Context, text string) (schema.Env, error) {
	name, detail, has := strings.Cut(text, ":")
	env, err := envs.DefaultEnv(name)
	if err != nil || !has {
		return env, err
	}
	if _, ok := env.Text[envs.MapParameter]; !ok {
		return env, schema.Hint(fmt.Errorf("%w: environment %q", schema.ErrSpec, text),
			"only a grid takes a map, as in grid:four-rooms")
	}
	env.Text[envs.MapParameter], err = parseMap(ctx, detail)
	return env, err
}

// parseMap returns the map that a name or a file stands for. The spec gets the contents
// of the file, not its path.
func parseMap(ctx context.Context, text string) (string, error) {
	if slices.Contains(envs.MapNames(), text) {
		return text, nil
	}
	data, err := cmdline.ReadText(ctx, text, 4*envs.MaxCells)
	if err != nil {
		what := textfmt.DidYouMean(text, "maps", envs.MapNames()) + "; anything else is the path of a map file"
		return "", schema.Hint(fmt.Errorf("map %q: %w", text, err), "%s", cmp.Or(hints.Of(err), what))
	}
	m, err := envs.ReadMap(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", text, err)
	}
	return m.String(), nil
}
