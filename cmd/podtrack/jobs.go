package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxSeeds bounds how many runs one command may begin.
const maxSeeds = 1_000_000

// specFlags are the fields of a spec, named as they are, and the reading.
func specFlags() []cli.Flag {
	usages := map[string]string{
		"env": "the environment, of those that podtrack env lists or exec:CMD or gym:NAME", "seed": "the seed", "steps": "steps an iteration, n_R",
		"kappa": "keep directions with σ above this", "gamma": "discount of the eigenbehaviours",
		"sweeps": "sweeps of value iteration, policy iterations of lspi, or passes of q-learning: at most so many", "tolerance": "values closer than this are equal",
		"basis":   "the eigenpurposes: right-singular (rows of Vᵀ) or rows-of-v",
		"dataset": "D of the iteration alone, or cumulative", "select": "which directions become options: threshold (σ > κ), threshold:sigma2, threshold:rms (σ/√n), top=N, energy=P, sample=N, novel=C",
		"learner":          "how eigenbehaviours are learned: sweeps or exact (their fixed point) on the model; empirical (sweeps on the observed moves), lspi or q-learning (linear in the features) without one",
		"method":           "how purposes are discovered: pod, laplacian or successor",
		"max_option_steps": "cut an option's call after so many steps, 1000 unless given: with learners that know no model",
	}
	for _, b := range pod.Builtins() {
		for _, p := range parametersOf(b) {
			if usages[p.Name] == "" {
				usages[p.Name] = b.Name + ": " + p.Usage
			}
		}
	}
	flags := []cli.Flag{&cli.StringFlag{
		Name: "reading", Usage: "basis and dataset together: " + strings.Join(schema.Readings(), " or "), DefaultText: pod.Paper().Reading(),
	}}
	for _, f := range pod.Paper().Fields() {
		if usage, ok := usages[f.Name]; ok {
			flags = append(flags, &cli.StringFlag{Name: f.Name, Usage: usage, DefaultText: f.Value})
		}
	}
	for _, name := range otherFields(pod.Paper()) {
		flags = append(flags, &cli.StringFlag{Name: name, Usage: usages[name]})
	}
	return flags
}

// parameter is a parameter of an environment, whole number or text.
type parameter struct{ Name, Default, From, To, Usage string }

func parametersOf(b pod.Builtin) (all []parameter) {
	for _, p := range b.Parameters {
		all = append(all, parameter{p.Name, fmt.Sprint(p.Default), fmt.Sprint(p.Min), fmt.Sprint(p.Max), p.Usage})
	}
	for _, c := range b.Choices {
		usage := c.Usage
		if len(c.Values) > 0 {
			usage += ": " + strings.Join(c.Values, ", ")
		}
		all = append(all, parameter{Name: c.Name, Default: c.Default, Usage: usage})
	}
	return all
}

// otherFields are those that a spec can have and this one has not: parameters of
// other environments, and what came after the first version.
func otherFields(spec schema.Spec) (others []string) {
	for _, b := range pod.Builtins() {
		for _, p := range parametersOf(b) {
			if _, has := spec.Get(p.Name); !has && !slices.Contains(others, p.Name) {
				others = append(others, p.Name)
			}
		}
	}
	return append(others, schema.LaterFields()...)
}

// parseJobs turns the flags of run into jobs, each of them checked, before
// anything is written.
func parseJobs(c *cli.Context) ([]replay.Job, error) {
	spec, err := parseSpec(c)
	if err != nil {
		return nil, err
	}
	target, err := parseIterations(c)
	if err != nil {
		return nil, err
	}
	seeds := []uint64{spec.Seed}
	if c.IsSet("seeds") {
		if c.IsSet("seed") {
			return nil, schema.Hint(fmt.Errorf("--seed and --seeds together"), "give one of them")
		}
		if seeds, err = parseSeeds(c.String("seeds")); err != nil {
			return nil, err
		}
	}
	keep, err := parseKeep(c)
	if err != nil {
		return nil, err
	}
	jobs, err := makeJobs(spec, seeds, target, c.String("name"))
	for i := range jobs {
		jobs[i].Keep = keep
	}
	return jobs, err
}

func makeJobs(spec schema.Spec, seeds []uint64, target int, template string) ([]replay.Job, error) {
	var jobs []replay.Job
	names := map[string]bool{}
	for _, seed := range seeds {
		spec.Seed = seed
		name, err := expand(template, spec)
		if err != nil {
			return nil, err
		}
		if name != "" && names[name] {
			return nil, schema.Hint(fmt.Errorf("the name %q would stand for several runs", name), "put what differs into it, such as {seed}")
		}
		names[name] = true
		jobs = append(jobs, replay.Job{Spec: spec, Target: target, Name: name})
	}
	return jobs, nil
}

// parseSpec starts from the paper's spec or a file's, and sets what flags say.
func parseSpec(c *cli.Context) (schema.Spec, error) {
	spec := pod.Paper()
	if path := c.String("spec"); path != "" {
		if err := readSpec(&spec, path, c); err != nil {
			return spec, fmt.Errorf("read spec %s: %w", path, err)
		}
	}
	if c.IsSet("env") {
		env, err := parseEnv(c, c.String("env"), spec.Env)
		if err != nil {
			return spec, err
		}
		spec.Env = env
		if env.External != nil && !c.IsSet("spec") {
			spec.Learner = schema.Empirical // the usual one needs a model
		}
	}
	if err := setFields(c, &spec); err != nil {
		return spec, err
	}
	if c.IsSet("sweeps") && spec.Learner == schema.Exact {
		return spec, schema.Hint(fmt.Errorf("--sweeps with learner %s, which does none", spec.Learner), "leave --sweeps out")
	}
	rule, err := spec.Select.Rule()
	if c.IsSet("kappa") && err == nil && !rule.UsesKappa() {
		return spec, schema.Hint(fmt.Errorf("--kappa with select %s, which does not look at it", spec.Select), "leave --kappa out")
	}
	if err := spec.Validate(); err != nil {
		return spec, err
	}
	env, err := pod.EnvOf(spec)
	if err == nil {
		err = pod.CheckLearner(env, spec)
	}
	return spec, err
}

func readSpec(spec *schema.Spec, path string, c *cli.Context) error {
	if path == "-" {
		return spec.ReadJSON(os.Stdin)
	}
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		err = spec.ReadJSON(f)
	}
	if err != nil && schema.Remedy(err) == "" {
		err = schema.Hint(err, "podtrack show --spec RUN prints a spec")
	}
	return err
}

// setFields applies the flags that name fields. A reading goes first, and must
// not be contradicted by a basis or a dataset beside it.
func setFields(c *cli.Context, spec *schema.Spec) error {
	if c.IsSet("reading") {
		if err := spec.SetReading(c.String("reading")); err != nil {
			return err
		}
	}
	reading := spec.Reading()
	for _, f := range spec.Fields() {
		if f.Name == "env" || !c.IsSet(f.Name) {
			continue
		}
		if err := spec.Set(f.Name, c.String(f.Name)); err != nil {
			return err
		}
	}
	for _, name := range otherFields(*spec) {
		if !c.IsSet(name) {
			continue
		}
		if !slices.Contains(schema.LaterFields(), name) {
			return schema.Hint(fmt.Errorf("--%s in environment %q", name, spec.Env.Name), "podtrack env lists the environments and their parameters")
		}
		if err := spec.Set(name, c.String(name)); err != nil {
			return err
		}
	}
	if c.IsSet("reading") && spec.Reading() != reading {
		return schema.Hint(fmt.Errorf("reading %s together with basis %s and dataset %s", reading, spec.Basis, spec.Dataset),
			"give the reading, or basis and dataset")
	}
	return nil
}

func parseIterations(c *cli.Context) (int, error) {
	if !c.IsSet("iterations") {
		return pod.PaperIterations, nil
	}
	text := c.String("iterations")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > tracker.MaxIterations {
		return 0, schema.Hint(fmt.Errorf("iterations %q", text), "use a whole number of at least 1; the paper's is %d", pod.PaperIterations)
	}
	return n, nil
}

// parseSeeds reads a list of seeds and ranges of seeds, such as 0,3,7-9.
func parseSeeds(list string) ([]uint64, error) {
	var seeds []uint64
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 64)
		b, err2 := strconv.ParseUint(high, 10, 64)
		switch {
		case err1 != nil || err2 != nil:
			return nil, schema.Hint(fmt.Errorf("seeds %q", part), "give whole numbers: one seed, a range such as 0-29, or a list of them")
		case a > b:
			return nil, schema.Hint(fmt.Errorf("the range of seeds %q runs backwards", part), "write it as %d-%d", b, a)
		case b-a >= maxSeeds-uint64(len(seeds)):
			return nil, schema.Hint(fmt.Errorf("seeds %q are more than %d runs", list, maxSeeds), "begin fewer at once")
		}
		for s := a; ; s++ {
			seeds = append(seeds, s)
			if s == b {
				break
			}
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds), nil
}

// parseExpect reads the head to be proved; it is nil where none is asked for.
func parseExpect(c *cli.Context, jobs []replay.Job) (*schema.Digest, error) {
	if !c.IsSet("expect") {
		return nil, nil
	}
	if len(jobs) != 1 {
		return nil, schema.Hint(fmt.Errorf("--expect with %d runs", len(jobs)), "prove one head at a time")
	}
	d, err := schema.ParseDigest(c.String("expect"))
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("--expect: %w", err), "give the whole head, as run prints it")
	}
	return &d, nil
}

// expand fills the fields in braces of a name's template.
func expand(template string, spec schema.Spec) (string, error) {
	if template == "" {
		return "", nil
	}
	pairs := []string{"{reading}", spec.Reading()}
	for _, f := range spec.Fields() {
		pairs = append(pairs, "{"+f.Name+"}", f.Value)
	}
	name := strings.NewReplacer(pairs...).Replace(template)
	if i := strings.IndexAny(name, "{}"); i >= 0 {
		return "", schema.Hint(fmt.Errorf("name %q has a brace that is no field", template), "fields are written as {seed} or {kappa}")
	}
	return name, tracker.ValidName(name)
}
