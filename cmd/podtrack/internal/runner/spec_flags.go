package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// SpecFlags returns a flag for each field of a spec, with the field's name, and
// --reading.
func SpecFlags() []cli.Flag {
	usages := map[string]string{
		"env":  "the environment, of those that podtrack env lists or exec:CMD or gym:NAME",
		"seed": "the seed", "steps": "steps an iteration, n_R",
		"kappa": "keep directions with σ above this", "gamma": "discount of the eigenbehaviours",
		"sweeps": "sweeps of value iteration, policy iterations of lspi, or passes of q-learning: at " +
			"most so many",
		"tolerance": "values closer than this are equal",
		"basis":     "the eigenpurposes: right-singular (rows of Vᵀ) or rows-of-v",
		"dataset":   "D of the iteration alone, or cumulative",
		"select":    "which directions become options: " + schema.SelectionForms(),
		"learner":   "how eigenbehaviours are learned: " + describeEntries(schema.Learners, learnerUsage),
		"method":    "how purposes are discovered: " + describeEntries(schema.Methods, methodUsage),
		"max_option_steps": "truncate an option's call after so many steps, 1000 unless given: with learners that know " +
			"no model",
	}
	for _, b := range pod.BuiltinEnvs() {
		for _, p := range ParametersOf(b) {
			if usages[p.Name] == "" {
				usages[p.Name] = b.Name + ": " + p.Usage
			}
		}
	}
	flags := []cli.Flag{&cli.StringFlag{
		Name: "reading", Usage: "basis and dataset together: " + strings.Join(schema.Readings(), " or "),
		DefaultText: pod.PaperSpec().Reading(),
	}}
	for _, f := range pod.PaperSpec().Fields() {
		if usage, ok := usages[f.Name]; ok {
			flags = append(flags, &cli.StringFlag{Name: f.Name, Usage: usage, DefaultText: f.Value})
		}
	}
	for _, name := range OtherFields(pod.PaperSpec()) {
		flags = append(flags, &cli.StringFlag{Name: name, Usage: usages[name]})
	}
	return flags
}

func learnerUsage(e schema.LearnerEntry) string { return e.Usage }

func methodUsage(e schema.MethodEntry) string { return e.Usage }

// describeEntries lists what is registered, with a line about each.
func describeEntries[T any](r *schema.Registry[T], usage func(T) string) string {
	var all []string
	for _, name := range r.Names() {
		e, _, _ := r.Newest(name)
		all = append(all, fmt.Sprintf("%s (%s)", name, usage(e)))
	}
	return schema.Alternatives(all)
}

// parameter is a parameter of an environment, a whole number or text.
type parameter struct{ Name, Default, From, To, Usage string }

// ParametersOf returns the parameters of a built-in environment.
func ParametersOf(b pod.BuiltinEnv) (all []parameter) {
	for _, p := range b.Parameters {
		all = append(all, parameter{p.Name, fmt.Sprint(p.Default), fmt.Sprint(p.Min), fmt.Sprint(p.Max), p.Usage})
	}
	for _, c := range b.TextParameters {
		usage := c.Usage
		if len(c.Values) > 0 {
			usage += ": " + strings.Join(c.Values, ", ")
		}
		all = append(all, parameter{Name: c.Name, Default: c.Default, Usage: usage})
	}
	return all
}

// OtherFields returns the fields that a spec may have but this one does not: parameters
// of other environments, and optional fields.
func OtherFields(spec schema.Spec) (names []string) {
	for _, b := range pod.BuiltinEnvs() {
		for _, p := range ParametersOf(b) {
			if _, has := spec.Get(p.Name); !has && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return append(names, schema.OptionalFields()...)
}

// ParseJobs turns the flags of podtrack run into jobs, and returns the launcher of their
// environment, as [ParseEnv] does. It checks each of them before anything is written.
func ParseJobs(c *cli.Context) ([]replay.Job, replay.EnvLauncher, error) {
	spec, launcher, err := ParseSpec(c)
	if err != nil {
		return nil, nil, err
	}
	target, err := ParseIterations(c)
	if err != nil {
		return nil, nil, err
	}
	seeds := []uint64{spec.Seed}
	if c.IsSet("seeds") {
		if c.IsSet("seed") {
			return nil, nil, schema.Hint(fmt.Errorf("--seed and --seeds together"), "give one of them")
		}
		if seeds, err = sweep.ParseSeeds(c.String("seeds")); err != nil {
			return nil, nil, err
		}
	}
	keep, err := ParseKeep(c)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := makeJobs(spec, seeds, target, c.String("name"))
	for i := range jobs {
		jobs[i].Keep = keep
	}
	return jobs, launcher, err
}

// jobMemory is roughly the memory of a job and its outcome, in bytes.
const jobMemory = 1 << 10

// makeJobs returns a job per seed, with names from a template.
func makeJobs(spec schema.Spec, seeds []uint64, target int, template string) ([]replay.Job, error) {
	if err := memory.Check(int64(len(seeds)) * jobMemory); err != nil {
		return nil, fmt.Errorf("%d seeds: %w", len(seeds), err)
	}
	jobs := make([]replay.Job, 0, len(seeds))
	names := map[string]bool{}
	for _, seed := range seeds {
		spec.Seed = seed
		name, err := sweep.ExpandName(template, spec)
		if err != nil {
			return nil, err
		}
		if name != "" && names[name] {
			return nil, schema.Hint(fmt.Errorf("the name %q would belong to several runs", name),
				"add a field that differs, such as {seed}")
		}
		names[name] = true
		jobs = append(jobs, replay.Job{Spec: spec, Target: target, Name: name})
	}
	return jobs, nil
}

// ParseIterations returns the value of --iterations, by default the paper's.
func ParseIterations(c *cli.Context) (int, error) {
	if !c.IsSet("iterations") {
		return pod.PaperIterations, nil
	}
	return ReadIterations(c.String("iterations"))
}

// ReadIterations reads a number of iterations.
func ReadIterations(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > tracker.MaxIterations {
		return 0, schema.Hint(fmt.Errorf("iterations %q", text), "use a whole number from 1 to %d; the paper's is %d",
			tracker.MaxIterations, pod.PaperIterations)
	}
	return n, nil
}

// ParseExpect returns the head that --expect gives, nil if it is not given. It is for
// one job only.
func ParseExpect(c *cli.Context, jobs []replay.Job) (*schema.Digest, error) {
	if !c.IsSet("expect") {
		return nil, nil
	}
	if len(jobs) != 1 {
		return nil, schema.Hint(fmt.Errorf("--expect with %d runs", len(jobs)), "prove one head at a time")
	}
	d, err := schema.ParseDigest(c.String("expect"))
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("--expect: %w", err), "give the full head, as run prints it")
	}
	return &d, nil
}
