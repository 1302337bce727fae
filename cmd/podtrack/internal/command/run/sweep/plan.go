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
	"github.com/podtrack/podtrack/tracker"
)

// sweepRun is a sweep with the context of the command that works on it.
type sweepRun struct {
	*cli.Context
	flags    *flags
	plan     *sweep.Plan
	launcher replay.EnvLauncher // of an external environment, nil for none
	stages   *external.StagePrograms
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
	if s.stages, err = f.NewStagePrograms(func(stage string) []string { return args.values[stage] }); err == nil {
		s.plan, s.launcher, err = f.makePlan(c, args, s.stages)
	}
	if err == nil && s.plan.Study != nil {
		warnOfLittle(c, s.plan)
	}
	return s, err
}

func (s sweepRun) store() *tracker.Store { return cmdline.OpenStore(s.Context) }

// makePlan returns a plan of all combinations of the given field values, and the launcher of an
// external environment, nil if there is none.
func (f *flags) makePlan(c *cli.Context, args gridArgs, stages *external.StagePrograms) (
	*sweep.Plan, replay.EnvLauncher, error,
) {
	base, err := f.StartingSpec(c)
	if err != nil {
		return nil, nil, err
	}
	p := &sweep.Plan{Plan: runset.Plan{Iterations: pod.PaperIterations}, Name: strings.Join(args.values["name"], ""),
		Tags: args.values["tag"]}
	seeds := cmp.Or(strings.Join(args.values["seeds"], ","), strings.Join(args.values["seed"], ","),
		strconv.FormatUint(base.Seed, 10))
	if p.Seeds, err = runset.ParseSeeds(seeds); err != nil {
		return nil, nil, err
	}
	if text := args.values["iterations"]; text != nil {
		if p.Iterations, err = runner.ReadIterations(text[0]); err != nil {
			return nil, nil, err
		}
	}
	if p.Keep, err = args.keep(); err != nil {
		return nil, nil, err
	}
	m := specMaker{Context: c, flags: f, base: base, stages: stages, envs: map[string]schema.Env{},
		first: map[schema.Digest]int{}}
	if args.study != nil {
		p.Study, err = args.makeStudy(&m)
	} else {
		err = args.makeSpecs(&m)
	}
	if err != nil {
		return nil, nil, err
	}
	p.Specs = m.specs
	return p, m.launcher, p.Check(c.Context)
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

func (g gridArgs) keep() (*tracker.Retention, error) {
	var kinds *string
	if list, given := g.values["keep"]; given {
		text := strings.Join(list, ",")
		kinds = &text
	}
	return runner.ReadKeep(kinds)
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
