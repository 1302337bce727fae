package sweep

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// sweepRun is a sweep that a command works on.
type sweepRun struct {
	*cli.Context
	plan   *sweep.Plan
	folder sweep.Folder // without a path where none is used
	given  bool         // the command says which runs; else the folder does
	path   string       // of the store
	env    string       // the environment in another process that the user typed or allowed, "" for none

	leftovers tracker.Leftovers // that were found
}

// newSweepRun returns the sweep that flags and a file say, or that a folder has, and where
// its runs go.
func newSweepRun(c *cli.Context) (sweepRun, error) {
	s, err := readSweepRun(c)
	if err == nil {
		s.path, err = s.findStore()
	}
	return s, err
}

func readSweepRun(c *cli.Context) (s sweepRun, err error) {
	s = sweepRun{Context: c, folder: sweep.Folder{Path: c.String("folder")}}
	said, err := parseGridArgs(c)
	if err != nil {
		return s, err
	}
	s.env = said.external()
	if s.given = len(said.keys) > 0 || c.IsSet("spec"); !s.given && s.folder.Path == "" {
		return s, schema.Hint(errNothing, "give seeds and values, such as --seeds 0-29 --kappa 0.5,1,2, or a file, or the --folder of a sweep")
	}
	if !s.given || len(said.keys) == 1 && runner.IsOutside(c.String("env")) && s.folder.Path != "" {
		if s.plan, err = s.folder.Plan(c.Context); err != nil {
			return s, err
		}
		s.given = false
		return s, runner.UseOutside(c)
	}
	if s.plan, err = makePlan(c, said); err != nil {
		return s, err
	}
	if s.folder.Path == "" && (c.Bool("slurm") || c.Bool("status") || c.Bool("gather")) {
		s.folder.Path, err = defaultFolder(c, s.plan)
	}
	if err == nil && s.folder.Path != "" && s.folder.CheckExists() == nil {
		err = s.folder.CheckPlan(s.plan)
	}
	return s, err
}

func (s sweepRun) store() *tracker.Store { return cmdline.StoreAt(s.Context, s.path) }

// findStore returns where the runs go: the store that the user names, else the one that
// the user submitted from or gathered into, if that one says so. What the folder says is
// no reason to open, make or fill a store.
func (s sweepRun) findStore() (string, error) {
	path, noted := cmdline.StorePath(s.Context), s.folder.Store()
	named := s.IsSet("store") || os.Getenv("PODTRACK_STORE") != ""
	if named || !s.IsSet("folder") || noted == "" || noted == absolutePath(path) {
		return path, nil
	}
	if s.folder.SubmittedFrom(s.Context.Context, noted) {
		return noted, nil
	}
	return "", schema.Hint(fmt.Errorf("%s says that its runs go into %q, which is not known here for a store of yours that this sweep was submitted from", s.folder.Path, noted),
		"say which store to use: --store %s", schema.ShellQuote(noted))
}

// defaultFolder stands beside the store, and is named after what is to be made.
func defaultFolder(c *cli.Context, p *sweep.Plan) (string, error) {
	id, err := p.ID()
	store := cmdline.StorePath(c)
	if real, e := filepath.EvalSymlinks(store); e == nil {
		store = real
	}
	return strings.TrimSuffix(store, filepath.Ext(store)) + "-sweep-" + id, err
}

// makePlan makes every combination of the values that are said of a spec's fields.
func makePlan(c *cli.Context, said gridArgs) (*sweep.Plan, error) {
	base, err := runner.StartingSpec(c)
	if err != nil {
		return nil, err
	}
	p := &sweep.Plan{Name: strings.Join(said.values["name"], ""), Tags: said.values["tag"], Iterations: pod.PaperIterations}
	seeds := cmp.Or(strings.Join(said.values["seeds"], ","), strings.Join(said.values["seed"], ","), strconv.FormatUint(base.Seed, 10))
	if p.Seeds, err = sweep.ParseSeeds(seeds); err != nil {
		return nil, err
	}
	if text := said.values["iterations"]; text != nil {
		if p.Iterations, err = runner.ReadIterations(text[0]); err != nil {
			return nil, err
		}
	}
	if p.Keep, err = said.keep(); err != nil {
		return nil, err
	}
	if p.Specs, err = makeSpecs(c, base, said); err != nil {
		return nil, err
	}
	return p, p.Check(c.Context)
}

func (s gridArgs) keep() (*tracker.Retention, error) {
	kinds, last := s.values["keep"], s.values["last"]
	if kinds == nil && last == nil {
		return nil, nil
	}
	return runner.ReadKeep(kinds != nil, strings.Join(kinds, ","), strings.Join(last, ""))
}

// changing are the fields in which the plan's specs differ: the reading in place of
// basis and dataset.
func (s sweepRun) changing() (names []string) {
	for _, name := range specKeys() {
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

// fieldOf is a field of a spec, or its reading; none where it has no such field.
func fieldOf(spec schema.Spec, name string) string {
	if name == "reading" {
		return spec.Reading()
	}
	if value, ok := spec.Get(name); ok {
		return value
	}
	return table.None
}

// absolutePath is a path that means the same from elsewhere.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
