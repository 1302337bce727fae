package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
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
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// sweepRun is a sweep with the context of the command that works on it.
type sweepRun struct {
	*cli.Context
	flags  *flags
	plan   *sweep.Plan
	folder sweep.Folder // no path if none is used
	given  bool         // whether the command line defines the runs; otherwise the folder does
	path   string       // path of the store
	env    string       // the external environment that the user named or allowed, "" for none

	launcher replay.EnvLauncher // of that environment, nil for none
	programs map[string]string  // those of stages that the user named or allowed, as flags have them
	stages   *external.StagePrograms

	leftovers tempfile.Leftovers // leftovers found
}

// newSweepRun returns the sweep from the flags and the file, or the one in the folder, with the
// store for its runs.
func newSweepRun(c *cli.Context, f *flags) (sweepRun, error) {
	s, err := readSweepRun(c, f)
	if err == nil {
		s.path, err = s.findStore()
	}
	return s, err
}

func readSweepRun(c *cli.Context, f *flags) (s sweepRun, err error) {
	s = sweepRun{Context: c, flags: f}
	if f.folder != nil {
		s.folder.Path = *f.folder
	}
	args, err := f.parseGridArgs(c)
	if err != nil {
		return s, err
	}
	s.env, s.programs = args.external(), map[string]string{}
	texts := args.stageTexts()
	for stage, list := range texts {
		s.programs[stage] = strings.Join(list, ",")
	}
	if s.stages, err = f.NewStagePrograms(texts); err != nil {
		return s, err
	}
	if s.given = len(args.keys) > 0 || args.study != nil || f.HasSpec(); !s.given && s.folder.Path == "" {
		return s, schema.Hint(errNothing,
			"give seeds and values, such as --seeds 0-29 --kappa 0.5,1,2, or a file, or the --folder of a sweep")
	}
	if !s.given || f.namesOnlyPrograms(args) && !f.HasSpec() && s.folder.Path != "" {
		if s.plan, err = s.folder.Plan(c.Context); err != nil {
			return s, err
		}
		s.given = false
		s.launcher, err = f.ParseLauncher()
		return s, err
	}
	if s.plan, s.launcher, err = f.makePlan(c, args, s.stages); err != nil {
		return s, err
	}
	if s.folder.Path == "" && (f.submits || f.status || f.gather) {
		s.folder.Path, err = defaultFolder(c, s.plan)
	}
	if err == nil && s.folder.Path != "" && s.folder.CheckExists() == nil {
		err = s.folder.CheckPlan(s.plan)
	}
	return s, err
}

func (s sweepRun) store() *tracker.Store { return cmdline.StoreAt(s.Context, s.path) }

// findStore returns the path of the store for the runs: the store that the user names, otherwise
// the folder's store if that one confirms that it submitted or gathered the sweep. The folder
// alone is no reason to open, create or fill a store.
func (s sweepRun) findStore() (string, error) {
	path, noted := cmdline.StorePath(s.Context), s.folder.Store()
	named := cmdline.NamesStore(s.Context)
	if named || s.flags.folder == nil || noted == "" || noted == absolutePath(path) {
		return path, nil
	}
	if s.folder.SubmittedFrom(s.Context.Context, noted) {
		return noted, nil
	}
	return "", schema.Hint(fmt.Errorf(
		"%s says that its runs go into %q, but that is not a store of yours from which this sweep was submitted",
		s.folder.Path, noted),
		"say which store to use: --store %s", textfmt.ShellQuote(noted))
}

// defaultFolder returns a folder beside the store, named after the plan's id.
func defaultFolder(c *cli.Context, p *sweep.Plan) (string, error) {
	id, err := p.ID()
	store := cmdline.StorePath(c)
	if real, e := filepath.EvalSymlinks(store); e == nil {
		store = real
	}
	return strings.TrimSuffix(store, filepath.Ext(store)) + "-sweep-" + id, err
}

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
	envs := envParser{flags: f, known: map[string]schema.Env{}}
	if args.study != nil {
		p.Specs, p.Study, err = args.makeStudy(c, base, &envs, stages)
	} else {
		p.Specs, err = makeSpecs(c, base, args, &envs, stages)
	}
	if err != nil {
		return nil, nil, err
	}
	if p.Study != nil {
		warnOfLittle(c, p)
	}
	return p, envs.launcher, p.CheckMade(c.Context)
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
	var kinds, last *string
	if list, given := g.values["keep"]; given {
		text := strings.Join(list, ",")
		kinds = &text
	}
	if list, given := g.values["last"]; given {
		last = &list[0]
	}
	return runner.ReadKeep(kinds, last)
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

// absolutePath returns the path in a form that is valid in any working directory.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

var errNothing = errors.New("nothing to sweep over")
