package study

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

//go:embed exploration.toml
var exploration string

// Exploration returns the study of which discovery explores.
func Exploration() Study {
	s, err := parse(exploration)
	if err != nil {
		panic(err)
	}
	return s
}

// A Study is what was registered before its runs were made.
type Study struct {
	Title      string       `toml:"title"`
	Seeds      runset.Seeds `toml:"seeds"`
	Iterations int          `toml:"iterations"`
	Reference  []string     `toml:"reference"`  // variants that every other one is compared with
	Candidate  string       `toml:"candidate"`  // variant that should reach the goal
	Everything string       `toml:"everything"` // variant that keeps every direction
	Settings   []Setting    `toml:"setting"`
	Variants   []Variant    `toml:"variant"`
}

// A Setting is an environment, and the outcome that decides in it.
type Setting struct {
	Name       string            `toml:"name"`
	About      string            `toml:"about"`
	Env        string            `toml:"env"`
	Parameters map[string]string `toml:"parameters"`
	Steps      int64             `toml:"steps"` // of an iteration
	Outcome    string            `toml:"outcome"`
}

// Outcomes of a run.
const (
	Distance = "distance" // mean over iterations 1, 2, … of the farthest distance from their first state
	Covered  = "covered"  // states that were visited in all iterations
)

// A Variant is a way to discover options.
type Variant struct {
	Name   string            `toml:"name"`
	About  string            `toml:"about"`
	Source string            `toml:"source"`
	Fields map[string]string `toml:"fields"` // of the spec, where they differ from the paper's
}

// parse reads a study and checks it: names that are known, and specs that are possible.
func parse(text string) (Study, error) {
	var s Study
	meta, err := toml.Decode(text, &s)
	if err == nil && len(meta.Undecoded()) > 0 {
		err = fmt.Errorf("unknown keys %v", meta.Undecoded())
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fmt.Errorf("study: %w", err)
	}
	return s, nil
}

func (s Study) check() error {
	if s.Seeds.Len() == 0 || s.Iterations < 2 || len(s.Settings) == 0 || len(s.Variants) == 0 || len(s.Reference) != 2 ||
		slices.Contains(s.Reference, s.Candidate) {
		return fmt.Errorf("it needs seeds, two iterations, settings, variants, two references and another candidate")
	}
	for _, name := range append(slices.Clone(s.Reference), s.Candidate, s.Everything) {
		if s.variant(name) < 0 {
			return fmt.Errorf("no variant %q", name)
		}
	}
	for _, setting := range s.Settings {
		if setting.Outcome != Distance && setting.Outcome != Covered {
			return fmt.Errorf("%s: outcome %q, use %s or %s", setting.Name, setting.Outcome, Distance, Covered)
		}
		plan, err := s.plan(setting, 1)
		if err == nil {
			err = plan.Check(context.Background())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", setting.Name, err)
		}
	}
	return nil
}

// variant returns the index of a variant, -1 if there is none of that name.
func (s Study) variant(name string) int {
	return slices.IndexFunc(s.Variants, func(v Variant) bool { return v.Name == name })
}

// Choose returns the settings of these names, all if there are none.
func (s Study) Choose(names []string) (chosen []Setting, err error) {
	var known []string
	for _, setting := range s.Settings {
		known = append(known, setting.Name)
		if len(names) == 0 || slices.Contains(names, setting.Name) {
			chosen = append(chosen, setting)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, schema.Advise(fmt.Errorf("%w: setting %q", schema.ErrSpec, name), schema.AdviceChoose,
				schema.Choice{Word: name, Kind: "settings", Known: known})
		}
	}
	return chosen, nil
}

// ParseSeeds parses a number of seeds, by default that of the study. More would be another study.
func (s Study) ParseSeeds(text string) (int, error) {
	if text == "" {
		return s.Seeds.Len(), nil
	}
	n, err := strconv.Atoi(textfmt.PlainInteger(text))
	if err != nil || n < 1 || n > s.Seeds.Len() {
		return 0, schema.Hint(fmt.Errorf("--runs: invalid value %q", text),
			"use a whole number from 1 to %d, the seeds of the study", s.Seeds.Len())
	}
	return n, nil
}

// studyTag is the tag of a study's runs.
const studyTag = "exploration"

// Jobs returns the jobs of the first seeds in a setting. Of what can be computed again they keep the
// transitions, and the options of the first [LostSeeds] seeds: what [Study.Measure] reads.
func (s Study) Jobs(setting Setting, seeds int) (jobs []replay.Job, err error) {
	plan, err := s.plan(setting, seeds)
	if err != nil {
		return nil, err
	}
	for i := range plan.Len() {
		job, err := plan.Job(i)
		if err != nil {
			return nil, err
		}
		job.Keep = &tracker.Retention{Kinds: []schema.Kind{schema.KindTransitions}}
		if i%seeds < LostSeeds {
			job.Keep.Kinds = append(job.Keep.Kinds, schema.KindOption)
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// plan returns the runs of the first seeds in a setting, a spec for each variant.
func (s Study) plan(setting Setting, seeds int) (*sweep.Plan, error) {
	most := s.Seeds.At(seeds - 1)
	plan := &sweep.Plan{Tags: []string{studyTag}}
	plan.Seeds, plan.Iterations = s.Seeds.Where(func(seed uint64) bool { return seed <= most }), s.Iterations
	for _, v := range s.Variants {
		spec, err := setting.spec(v)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", setting.Name, v.Name, err)
		}
		plan.Specs = append(plan.Specs, spec)
	}
	return plan, nil
}

// spec returns the spec of a variant with seed 0.
func (s Setting) spec(v Variant) (spec schema.Spec, err error) {
	spec = pod.PaperSpec()
	spec.Steps = s.Steps
	if spec.Env, err = envs.DefaultEnv(s.Env); err != nil {
		return spec, err
	}
	for _, fields := range []map[string]string{s.Parameters, v.Fields} {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if err := spec.Set(name, fields[name]); err != nil {
				return spec, err
			}
		}
	}
	return spec, spec.Validate()
}
