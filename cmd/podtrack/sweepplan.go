package main

import (
	"cmp"
	"fmt"
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

// The keys of a sweep that are no fields of a spec.
var sweepKeys = []string{"seeds", "iterations", "name", "tag", "keep", "last"}

// listKeys are those of them that are lists.
var listKeys = []string{"seeds", "tag", "keep"}

// whatIsSaid is what the file says, and in its place what flags say.
func whatIsSaid(c *cli.Context) (s sayings, err error) {
	s.values = map[string][]string{}
	if c.NArg() == 1 {
		if s, err = readSayings(c.Args().First()); err != nil {
			return s, err
		}
	}
	grid := map[string]bool{}
	for _, text := range c.StringSlice("grid") {
		field, values, ok := strings.Cut(text, "=")
		switch {
		case !ok || field == "":
			return s, schema.Hint(fmt.Errorf("--grid %q", text), "write it as FIELD=A,B,…, such as kappa=0.5,1,2")
		case grid[field] || slices.Contains(c.FlagNames(), field):
			return s, schema.Hint(fmt.Errorf("%s is given twice", field), "give all of its values at once")
		}
		grid[field] = true
		s.say(field, splitValues(field, values))
	}
	for _, name := range flagNames(c) {
		switch {
		case name == "tag":
			s.say(name, c.StringSlice(name))
		case slices.Contains(sweepKeys, name):
			s.say(name, []string{c.String(name)})
		default:
			s.say(name, splitValues(name, c.String(name)))
		}
	}
	return s, s.check()
}

// flagNames are the flags that are given of those that say what to make, in the order
// in which specs show their fields.
func flagNames(c *cli.Context) (names []string) {
	for _, f := range append(slices.Clone(sweepKeys), specKeys()...) {
		if c.IsSet(f) {
			names = append(names, f)
		}
	}
	return names
}

// specKeys are all that specs can be made of.
func specKeys() []string {
	names := []string{"reading"}
	for _, f := range pod.Paper().Fields() {
		if f.Name != "numerics" {
			names = append(names, f.Name)
		}
	}
	return append(names, otherFields(pod.Paper())...)
}

// splitValues cuts a list at its commas. A command has commas of its own.
func splitValues(field, list string) []string {
	if field == "env" && isOutside(list) {
		return []string{list}
	}
	return strings.Split(list, ",")
}

// check refuses keys that are none, and lists that cannot be.
func (s sayings) check() error {
	known := append(slices.Clone(sweepKeys), specKeys()...)
	for _, key := range s.keys {
		values := s.values[key]
		switch {
		case !slices.Contains(known, key):
			slices.Sort(known)
			return schema.Hint(fmt.Errorf("there is no field %q", key), "the fields are %s", strings.Join(known, ", "))
		case key == "seed" && len(values) > 1:
			return schema.Hint(fmt.Errorf("%d values of seed", len(values)), "name them as seeds, such as --seeds 0-29")
		case len(values) == 0 || slices.Contains(values, ""):
			return schema.Hint(fmt.Errorf("%s has no value, or an empty one", key), "an empty grid has no runs: give values such as %s=A,B, or leave %s out", key, key)
		case len(values) > 1 && slices.Contains(sweepKeys, key) && !slices.Contains(listKeys, key):
			return schema.Hint(fmt.Errorf("%d values of %s", len(values), key), "give one")
		case key == "env" && len(values) > 1 && slices.ContainsFunc(values, isOutside):
			return schema.Hint(fmt.Errorf("an environment in another process among others"), "sweep over one such environment at a time")
		}
	}
	if s.values["seed"] != nil && s.values["seeds"] != nil {
		return schema.Hint(fmt.Errorf("seed and seeds together"), "give one of them")
	}
	return nil
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

// makeSpecs are the specs of the grid, of seed 0, each once. It says where two points
// are the same.
func makeSpecs(c *cli.Context, base schema.Spec, said sayings) (specs []schema.Spec, err error) {
	fields := slices.DeleteFunc(slices.Clone(said.keys), func(key string) bool { return slices.Contains(sweepKeys, key) || key == "seed" })
	points := 1
	for _, f := range fields {
		if points *= len(said.values[f]); points > sweep.MaxSpecs {
			return nil, schema.Hint(fmt.Errorf("a grid of more than %d specs", sweep.MaxSpecs), "make several sweeps of it")
		}
	}
	envs := envCache{}
	first := map[schema.Digest]int{}
	var notes []string
	for n := range points {
		point := pointOf(fields, said.values, n)
		spec, err := makeSpec(base, point.lookup(fields, said.values), !c.IsSet("spec"), envs.parse(c, base.Env))
		if err != nil {
			return nil, point.explain(err, points)
		}
		spec.Seed = 0
		id, err := schema.RunID(spec, nil)
		if err != nil {
			return nil, err
		}
		if before, twice := first[id]; twice {
			notes = append(notes, fmt.Sprintf("%s makes the same spec as %s: it is counted once", point, pointOf(fields, said.values, before)))
			continue
		}
		first[id] = n
		specs = append(specs, spec)
	}
	printSome(c.App.ErrWriter, maxNotices, notes)
	return specs, nil
}

// point is a value for each field.
type point []schema.Field

// pointOf is the n-th combination: the last field changes fastest.
func pointOf(fields []string, values map[string][]string, n int) point {
	p := make(point, len(fields))
	for i := len(fields) - 1; i >= 0; i-- {
		list := values[fields[i]]
		p[i] = schema.Field{Name: fields[i], Value: list[n%len(list)]}
		n /= len(list)
	}
	return p
}

// lookup says what a spec is made of. A kappa or a number of sweeps that a grid gives
// to others too is not said to a rule or a learner that does without.
func (p point) lookup(fields []string, values map[string][]string) lookup {
	said := map[string]string{}
	for _, f := range p {
		said[f.Name] = f.Value
	}
	if rule, err := schema.Select(said["select"]).Rule(); err == nil && !rule.UsesKappa() && len(values["select"]) > 1 {
		delete(said, "kappa")
	}
	if said["learner"] == string(schema.Exact) && len(values["learner"]) > 1 {
		delete(said, "sweeps")
	}
	return func(name string) (string, bool) {
		text, ok := said[name]
		return text, ok
	}
}

func (p point) String() string {
	words := make([]string, len(p))
	for i, f := range p {
		words[i] = f.Name + "=" + f.Value
	}
	return strings.Join(words, " ")
}

// explain says which of several points something is wrong with.
func (p point) explain(err error, points int) error {
	if points == 1 {
		return err
	}
	return schema.Hint(fmt.Errorf("with %s: %w", p, err), "%s", schema.Remedy(err))
}

// envCache reads each environment once: a map may be a file, and a program is asked.
type envCache map[string]schema.Env

func (e envCache) parse(c *cli.Context, before schema.Env) func(string) (schema.Env, error) {
	return func(text string) (schema.Env, error) {
		if env, ok := e[text]; ok {
			return env.Clone(), nil
		}
		env, err := parseEnv(c, text, before)
		if err == nil {
			e[text] = env.Clone()
		}
		return env, err
	}
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
