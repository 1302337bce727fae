package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// SpecFlags returns a flag for each field of a spec, with the field's name, and
// --reading.
func SpecFlags() []cli.Flag {
	usages := map[string]string{
		"env":  "the environment, of those that podtrack env lists, exec:CMD (with quotes as for a shell) or gym:NAME",
		"seed": "the seed", "steps": "steps an iteration, n_R",
		"kappa": "keep directions with σ above this", "gamma": "discount of the eigenbehaviours",
		"sweeps": "sweeps of value iteration, policy iterations of lspi, or passes of q-learning: at " +
			"most so many",
		"tolerance": "an action worth no more than this is worth nothing: where all are, the option ends",
		"basis":     "the eigenpurposes: right-singular (rows of Vᵀ), rows-of-v, or random directions, as many",
		"dataset":   "D of the iteration alone, or cumulative",
		"select":    "which directions become options: " + schema.SelectionForms() + orProgram,
		"learner":   "how eigenbehaviours are learned: " + describeEntries(schema.Learners, learnerUsage) + orProgram,
		"method":    "how purposes are discovered: " + describeEntries(schema.Methods, methodUsage) + orProgram,
		"collect": "how transitions are collected: " + schema.DefaultPolicy + " (uniformly random over actions and " +
			"options)" + orProgram,
		"measure": "what measures iterations beside podtrack: " + schema.NoMeasures + orProgram,
		"max_option_steps": "truncate an option's call after so many steps, 1000 unless given, or auto for a number that " +
			"suits --steps and the episodes: with learners that know no model",
		"state_set":     "states that the matrix of a method on states is over: all, or visited",
		"psi_gamma":     "discount of the successor representation, where it is not that of the eigenbehaviours",
		"feature_scale": "divide the columns of D by their root mean squares (rms), and scale purposes back; or none",
		"lifetime": "how long options stay in the action set: keep (for ever), replace (until the next ones) or " +
			"last=N (those of the N latest iterations)",
		"option_probability": "the probability that a decision is among the available options if there are any, " +
			"rather than the actions; 0 draws from all alike",
		"initiation": "where options of lspi and q-learning can start: any (state in which an action is worth something), " +
			"or observed (those from which the observed transitions show that they end)",
		"sides":     "the signs of a direction that are followed: two, or one, away from where the agent often was",
		"leave_out": "leave options out of the action set, by their numbers: 3, or 3+17",
	}
	for _, b := range pod.RegisteredEnvs() {
		for _, p := range ParametersOf(b) {
			if usages[p.Name] == "" {
				usages[p.Name] = b.Name + ": " + p.Usage
			}
		}
	}
	flags := []cli.Flag{&cli.StringFlag{
		Name: "reading", Usage: "basis and dataset together: " + strings.Join(schema.Readings(), " or ") + "; or " +
			schema.CoveringEigenoptions + ", which sets method, state_set, select, sides and option_probability too",
		DefaultText: pod.PaperSpec().Reading(),
	}}
	for _, f := range pod.PaperSpec().Fields() {
		if usage, ok := usages[f.Name]; ok {
			flags = append(flags, &cli.StringFlag{Name: f.Name, Usage: usage, DefaultText: f.Value})
		}
	}
	for _, name := range OtherFields(pod.PaperSpec()) {
		flag := &cli.StringFlag{Name: name, Usage: usages[name]}
		if name == "lifetime" {
			flag.Name, flag.Aliases = "options", []string{name}
		}
		flags = append(flags, flag)
	}
	return flags
}

// orProgram ends the usage of the flags of stages.
const orProgram = ", or exec:CMD (a program of yours, with quotes as for a shell, see podtrack help stages)"

func learnerUsage(e schema.LearnerEntry) string { return e.Usage }

func methodUsage(e schema.MethodEntry) string { return e.Usage }

// describeEntries lists what is built in, with a line about each.
func describeEntries[T any](r *schema.Registry[T], usage func(T) string) string {
	var all []string
	for _, name := range r.BuiltinNames() {
		e, _, _ := r.Newest(name)
		all = append(all, fmt.Sprintf("%s (%s)", name, usage(e)))
	}
	return strings.Join(all, ", ")
}

// parameter is a parameter of an environment, a whole number or text.
type parameter struct{ Name, Default, From, To, Usage string }

// ParametersOf returns the parameters of a built-in environment.
func ParametersOf(b pod.RegisteredEnv) (all []parameter) {
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
	for _, b := range pod.RegisteredEnvs() {
		for _, p := range ParametersOf(b) {
			if _, has := spec.Get(p.Name); !has && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return append(names, schema.OptionalFields()...)
}
