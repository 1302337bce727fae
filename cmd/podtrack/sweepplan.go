package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// study is a sweep that a command works on.
type study struct {
	*cli.Context
	plan   *sweep.Plan
	folder sweep.Folder // without a path where none is used
	given  bool         // the command says which runs; else the folder does
}

// newStudy is what flags and a file say, or what a folder has.
func newStudy(c *cli.Context) (s study, err error) {
	s = study{Context: c, folder: sweep.Folder{Path: c.String("folder")}}
	said, err := whatIsSaid(c)
	if err != nil {
		return s, err
	}
	if s.given = len(said.keys) > 0 || c.IsSet("spec"); !s.given && s.folder.Path == "" {
		return s, schema.Hint(errNothing, "give seeds and values, such as --seeds 0-29 --kappa 0.5,1,2, or a file, or the --folder of a sweep")
	}
	if !s.given || len(said.keys) == 1 && isOutside(c.String("env")) && s.folder.Path != "" {
		if s.plan, err = s.folder.Plan(); err != nil {
			return s, err
		}
		s.given = false
		return s, useOutside(c)
	}
	if s.plan, err = makePlan(c, said); err != nil {
		return s, err
	}
	if s.folder.Path == "" && (c.Bool("slurm") || c.Bool("status") || c.Bool("gather")) {
		s.folder.Path, err = defaultFolder(c, s.plan)
	}
	if err == nil && s.folder.Path != "" && s.folder.Exists() == nil {
		err = s.folder.Expect(s.plan)
	}
	return s, err
}

// storePath is where the runs go: where a flag or a variable says, or where those of
// the folder go.
func (s study) storePath() string {
	if noted := s.folder.Store(); noted != "" && !s.IsSet("store") && os.Getenv("PODTRACK_STORE") == "" {
		return noted
	}
	return storePath(s.Context)
}

func (s study) store() *tracker.Store { return storeAt(s.Context, s.storePath()) }

// defaultFolder stands beside the store, and is named after what is to be made.
func defaultFolder(c *cli.Context, p *sweep.Plan) (string, error) {
	id, err := p.ID()
	store := storePath(c)
	if real, e := filepath.EvalSymlinks(store); e == nil {
		store = real
	}
	return strings.TrimSuffix(store, filepath.Ext(store)) + "-sweep-" + id, err
}

// makePlan makes every combination of the values that are said of a spec's fields.
func makePlan(c *cli.Context, said sayings) (*sweep.Plan, error) {
	base, err := startingSpec(c)
	if err != nil {
		return nil, err
	}
	p := &sweep.Plan{Name: strings.Join(said.values["name"], ""), Tags: said.values["tag"], Iterations: pod.PaperIterations}
	seeds := cmp.Or(strings.Join(said.values["seeds"], ","), strings.Join(said.values["seed"], ","), strconv.FormatUint(base.Seed, 10))
	if p.Seeds, err = sweep.ParseSeeds(seeds); err != nil {
		return nil, err
	}
	if text := said.values["iterations"]; text != nil {
		if p.Iterations, err = readIterations(text[0]); err != nil {
			return nil, err
		}
	}
	if p.Keep, err = said.keep(); err != nil {
		return nil, err
	}
	if p.Specs, err = makeSpecs(c, base, said); err != nil {
		return nil, err
	}
	return p, p.Check()
}

func (s sayings) keep() (*tracker.Keep, error) {
	kinds, last := s.values["keep"], s.values["last"]
	if kinds == nil && last == nil {
		return nil, nil
	}
	return readKeep(kinds != nil, strings.Join(kinds, ","), strings.Join(last, ""))
}

// changing are the fields in which the plan's specs differ: the reading in place of
// basis and dataset.
func (s study) changing() (names []string) {
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
	return none
}

// absolute is a path that means the same from elsewhere.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
