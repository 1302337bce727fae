package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// sweepRun is a sweep with the context of the command that works on it.
type sweepRun struct {
	*cli.Context
	flags    *flags
	plan     *sweep.Plan
	launcher replay.EnvLauncher // of an external environment, nil for none
	stages   *external.StagePrograms

	base  schema.Spec           // from which specs are made
	envs  map[string]schema.Env // by the texts that name them
	first map[schema.Digest]int // the point that made a spec first
}

// newSweepRun returns the sweep from the flags and the file.
func newSweepRun(c *cli.Context, f *flags) (s sweepRun, err error) {
	s = sweepRun{Context: c, flags: f}
	args, err := f.parseGridArgs(c)
	if err != nil {
		return s, err
	}
	if len(args.keys) == 0 && args.study == nil && !f.HasSpec() {
		return s, schema.Hint(errNothing, "give seeds and values, such as --seeds 0-29 --kappa 0.5,1,2, or a file")
	}
	if err = s.makePlan(args); err == nil && s.plan.Study != nil {
		warnOfLittle(c, s.plan)
	}
	return s, err
}

// makePlan sets the plan, of all combinations of the given field values, and what its runs need.
func (s *sweepRun) makePlan(args gridArgs) (err error) {
	s.envs, s.first = map[string]schema.Env{}, map[schema.Digest]int{}
	s.stages, err = s.flags.NewStagePrograms(func(stage string) []string { return args.values[stage] })
	if err == nil {
		s.base, err = s.flags.StartingSpec(s.Context)
	}
	if err != nil {
		return err
	}
	p := &sweep.Plan{Plan: runset.Plan{Iterations: pod.PaperIterations}, Name: strings.Join(args.values["name"], ""),
		Tags: args.values["tag"]}
	s.plan = p
	seeds := cmp.Or(strings.Join(args.values["seeds"], ","), strings.Join(args.values["seed"], ","),
		strconv.FormatUint(s.base.Seed, 10))
	if p.Seeds, err = runset.ParseSeeds(seeds); err != nil {
		return err
	}
	if text := args.values["iterations"]; text != nil {
		if p.Iterations, err = runner.ReadIterations(text[0]); err != nil {
			return err
		}
	}
	if kinds := args.values["keep"]; kinds != nil {
		if p.Keep, err = runner.ReadKeep(new(strings.Join(kinds, ","))); err != nil {
			return err
		}
	}
	if args.study != nil {
		p.Study, err = args.makeStudy(s)
	} else {
		err = args.makeSpecs(s)
	}
	if err != nil {
		return err
	}
	return p.Check(s.Context.Context)
}

// warnOfLittle prints a note on a study of one seed, which compares nothing, and one on a study of one iteration, which
// hardly differs between variants.
func warnOfLittle(c *cli.Context, p *sweep.Plan) {
	var notes []string
	if p.Seeds.Len() == 1 {
		notes = append(notes, fmt.Sprintf(`one seed, %d: nothing is compared; ten are seeds = "0-9"`, p.Seeds.At(0)))
	}
	if p.Iterations == 1 {
		notes = append(notes, "iterations = 1: options are used from iteration 1 on, so that variants hardly differ in "+
			"iteration 0")
	}
	cmdline.PrintNotes(c.App.ErrWriter, notes)
}

// changing returns the fields in which the plan's specs differ. The reading replaces basis and
// dataset. The specs of a study differ in setting and variant.
func (s sweepRun) changing() (names []string) {
	if s.plan.Study != nil {
		return []string{"setting", "variant"}
	}
	for _, name := range s.columns() {
		if name == "basis" || name == "dataset" {
			continue
		}
		first := fieldOf(s.plan.Specs[0], name)
		if slices.ContainsFunc(s.plan.Specs, func(spec schema.Spec) bool { return fieldOf(spec, name) != first }) {
			names = append(names, name)
		}
	}
	return names
}

// columns returns all keys from which a spec can be made, and the parameters that stages of the plan's specs declare.
func (s sweepRun) columns() []string {
	names := specKeys()
	for _, spec := range s.plan.Specs {
		for _, f := range spec.StageParameters() {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// fieldOf returns the value of a field of the i-th spec of the plan, see [fieldOf], or its setting or variant in the
// study that the plan is.
func (s sweepRun) fieldOf(i int, name string) string {
	if study := s.plan.Study; study != nil {
		switch cell := study.Cells[i]; name {
		case "setting":
			return study.Settings[cell.Setting].Name
		case "variant":
			return study.Variants[cell.Variant].Name
		}
	}
	return fieldOf(s.plan.Specs[i], name)
}

// fieldOf returns the value of a field of a spec, or its reading, [table.None] if it has no such field.
func fieldOf(spec schema.Spec, name string) string {
	if name == "reading" {
		return spec.Reading()
	}
	if value, ok := spec.Get(name); ok {
		return value
	}
	return table.None
}

var errNothing = errors.New("nothing to sweep over")
