package study

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

//go:embed exploration.toml
var exploration string

// Exploration returns the study of which discovery explores.
func Exploration() Study {
	s, err := Parse(exploration)
	if err != nil {
		panic(err)
	}
	return s
}

// A Study is what was registered before its runs were made.
type Study struct {
	Title      string    `toml:"title"`
	FirstSeed  uint64    `toml:"first_seed"`
	Seeds      int       `toml:"seeds"`
	Iterations int       `toml:"iterations"`
	Reference  []string  `toml:"reference"`  // variants that every other one is compared with
	Candidate  string    `toml:"candidate"`  // variant of which the goal is asked
	Everything string    `toml:"everything"` // variant that keeps every direction
	Settings   []Setting `toml:"setting"`
	Variants   []Variant `toml:"variant"`
}

// A Setting is an environment, and the outcome that decides in it.
type Setting struct {
	Name       string            `toml:"name"`
	About      string            `toml:"about"`
	Env        string            `toml:"env"`
	Parameters map[string]string `toml:"parameters"`
	Fields     map[string]string `toml:"fields"` // of the specs of all variants
	Steps      int64             `toml:"steps"`  // of an iteration
	Outcome    string            `toml:"outcome"`
}

// A Variant is a way to discover options.
type Variant struct {
	Name   string            `toml:"name"`
	About  string            `toml:"about"`
	Source string            `toml:"source"`
	Fields map[string]string `toml:"fields"` // of the spec, where they differ from the paper's
}

// Parse reads a study and checks it: names that are known, and specs that are possible.
func Parse(text string) (Study, error) {
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
	if s.Seeds < 1 || s.Iterations < 2 || len(s.Settings) == 0 || len(s.Variants) == 0 || len(s.Reference) != 2 ||
		slices.Contains(s.Reference, s.Candidate) {
		return fmt.Errorf("it needs seeds, two iterations, settings, variants, two references and another candidate")
	}
	for _, name := range append(slices.Clone(s.Reference), s.Candidate, s.Everything) {
		if _, known := s.variant(name); !known {
			return fmt.Errorf("no variant %q", name)
		}
	}
	for _, setting := range s.Settings {
		if !slices.Contains(outcomeNames(), setting.Outcome) {
			return fmt.Errorf("%s: outcome %q, use one of %v", setting.Name, setting.Outcome, outcomeNames())
		}
		env, err := setting.NewEnv()
		if err != nil {
			return fmt.Errorf("%s: %w", setting.Name, err)
		}
		for _, v := range s.Variants {
			if _, err := s.Spec(setting, v, env, s.FirstSeed); err != nil {
				return fmt.Errorf("%s, %s: %w", setting.Name, v.Name, err)
			}
		}
	}
	return nil
}

func (s Study) variant(name string) (int, bool) {
	i := slices.IndexFunc(s.Variants, func(v Variant) bool { return v.Name == name })
	return i, i >= 0
}

// firstSeeds returns the first n seeds of the study.
func (s Study) firstSeeds(n int) (seeds []uint64) {
	for i := range n {
		seeds = append(seeds, s.FirstSeed+uint64(i))
	}
	return seeds
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

// ParseSeeds reads a number of seeds, by default those that were registered. More would not be the study.
func (s Study) ParseSeeds(text string) (int, error) {
	if text == "" {
		return s.Seeds, nil
	}
	n, err := strconv.Atoi(textform.PlainInteger(text))
	if err != nil || n < 1 || n > s.Seeds {
		return 0, schema.Hint(fmt.Errorf("runs %q", text), "use a whole number from 1 to %d, the seeds of the study", s.Seeds)
	}
	return n, nil
}

// Jobs returns the jobs of the first seeds in a setting. Of what can be computed again they keep the
// transitions, and the options of the first [LostSeeds] seeds: what [Study.Measure] reads.
func (s Study) Jobs(setting Setting, seeds int) (jobs []replay.Job, err error) {
	env, err := setting.NewEnv()
	if err != nil {
		return nil, err
	}
	for _, v := range s.Variants {
		for i, seed := range s.firstSeeds(seeds) {
			spec, err := s.Spec(setting, v, env, seed)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", setting.Name, v.Name, err)
			}
			keep := tracker.Retention{Kinds: []schema.Kind{schema.KindTransitions}}
			if i < LostSeeds {
				keep.Kinds = append(keep.Kinds, schema.KindOption)
			}
			jobs = append(jobs, replay.Job{Spec: spec, Target: s.Iterations, Tags: []string{StudyTag}, Keep: &keep})
		}
	}
	return jobs, nil
}

// StudyTag is the tag of a study's runs.
const StudyTag = "exploration"

// NewEnv returns the setting's environment.
func (s Setting) NewEnv() (schema.Env, error) {
	spec := pod.PaperSpec()
	var err error
	if spec.Env, err = pod.DefaultEnv(s.Env); err != nil {
		return spec.Env, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		if err := spec.Set(name, s.Parameters[name]); err != nil {
			return spec.Env, err
		}
	}
	_, err = pod.NewEnv(spec.Env)
	return spec.Env, err
}

// Spec returns the spec of a variant in a setting with its environment.
func (s Study) Spec(setting Setting, v Variant, env schema.Env, seed uint64) (schema.Spec, error) {
	spec := pod.PaperSpec()
	spec.Env, spec.Steps, spec.Seed = env, setting.Steps, seed
	for _, fields := range []map[string]string{setting.Fields, v.Fields} {
		for _, name := range inOrder(fields) {
			if err := spec.Set(name, fields[name]); err != nil {
				return spec, err
			}
		}
	}
	if err := spec.Validate(); err != nil {
		return spec, err
	}
	known, err := pod.NewEnvForSpec(spec)
	if err == nil {
		err = pod.CheckLearner(known, spec)
	}
	return spec, err
}

// inOrder returns the names of fields in order, the reading first, which stands for others.
func inOrder(fields map[string]string) []string {
	names := slices.Sorted(maps.Keys(fields))
	slices.SortStableFunc(names, func(a, b string) int {
		switch "reading" {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return names
}
