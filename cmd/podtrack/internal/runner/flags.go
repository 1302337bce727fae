// Package runner turns flags and spec files into jobs, and executes them.
package runner

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Flags holds the flags of a command about the runs that it executes. A command lists those that it has; the others
// keep their zero values.
type Flags struct {
	Seeds, Iterations, Keep          *string
	Name, Failed                     string
	ChangedCode, UntilEnd, AllowExec bool
	Unfinished                       *bool

	recheck                 *bool             // nil for commands without --recheck
	given                   map[string]string // fields of the spec, and programs of its stages, by their names
	Changes                 []schema.Field    // what --set gave
	spec                    string            // the file of the spec
	study, variant, setting string            // the place in a study that has the spec
	place                   *schema.Spec      // of that place, once the study was read
	parallel                *int
	timeout                 *time.Duration
	programs                *external.StagePrograms // of the stages, once they were asked for
}

// Given returns what is given for a field of the spec or a stage, and whether anything is.
func (f *Flags) Given(name string) (text string, given bool) {
	text, given = f.given[name]
	return text, given
}

// Give sets a field of the spec, which nothing has given before.
func (f *Flags) Give(name, text string) error {
	if _, twice := f.given[name]; twice {
		return schema.Hint(fmt.Errorf("%s is given twice", name), "give it once, with all of its values if they are several")
	}
	if f.given == nil {
		f.given = map[string]string{}
	}
	f.given[name] = text
	return nil
}

// HasSpec reports whether a file or a study has the spec.
func (f *Flags) HasSpec() bool { return f.spec != "" || f.study != "" }

// field returns a flag for a field of the spec or a stage.
func (f *Flags) field(name, usage, otherwise string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Usage: usage, DefaultText: otherwise,
		Action: func(_ *cli.Context, text string) error { return f.Give(name, text) }}
}

// SetFlag returns the flag --set, which gives any field of the spec.
func (f *Flags) SetFlag() cli.Flag {
	var others []string
	for _, field := range SpecFields() {
		if !hints.HasFlag(field.Name) {
			others = append(others, field.Name)
		}
	}
	return &cli.StringSliceFlag{Name: "set", Usage: "set a field of the spec, also one without a flag of its own: " +
		"`FIELD=VALUE`; may be given several times. podtrack help FIELD says what it is: " + strings.Join(others, ", "),
		Action: func(_ *cli.Context, given []string) error {
			for _, text := range given {
				name, value, ok := strings.Cut(text, "=")
				if !ok || name == "" {
					return schema.Hint(fmt.Errorf("--set: invalid value %q", text), "write it as --set kappa=2")
				}
				if err := f.Give(name, value); err != nil {
					return err
				}
				f.Changes = append(f.Changes, schema.Field{Name: name, Value: value})
			}
			return nil
		}}
}

// isChanged reports whether --set gives a field.
func (f *Flags) isChanged(name string) bool {
	return slices.ContainsFunc(f.Changes, func(given schema.Field) bool { return given.Name == name })
}

// CheckFields returns an error if --set gives what is no field of specs.
func (f *Flags) CheckFields() error {
	known := textfmt.Map(SpecFields(), func(field SpecField) string { return field.Name })
	for _, given := range f.Changes {
		if !slices.Contains(known, given.Name) {
			return schema.Hint(fmt.Errorf("no field %q", given.Name), "%s", textfmt.DidYouMean(given.Name, "fields", known))
		}
	}
	return nil
}

// IterationsFlag returns the flag --iterations; otherwise describes its default.
func (f *Flags) IterationsFlag(otherwise string) cli.Flag {
	return cmdline.Optional(&f.Iterations, "iterations", "make iterations until a run has `N`", otherwise)
}

// ChangedCodeFlag returns the flag --changed-code.
func (f *Flags) ChangedCodeFlag() cli.Flag {
	return cmdline.Flag(&f.ChangedCode, "changed-code",
		"go on although files of the run's programs have changed and their versions have not")
}

// RecheckFlag returns the flag --recheck.
func (f *Flags) RecheckFlag() cli.Flag {
	f.recheck = new(bool)
	return cmdline.Flag(f.recheck, "recheck", "take the first steps in two processes of an environment that another "+
		"process runs, and warn if they differ")
}

// ParallelFlag returns the flag --parallel.
func (f *Flags) ParallelFlag() cli.Flag {
	return cmdline.Optional(&f.parallel, "parallel", "work on `N` runs at once", "the number of cores")
}

// ParseParallel returns how many runs to work on at once.
func (f *Flags) ParseParallel() (int, error) {
	switch {
	case f.parallel == nil:
		return runtime.NumCPU(), nil
	case *f.parallel < 1:
		return 0, schema.Hint(fmt.Errorf("--parallel: invalid value %d", *f.parallel), "work on at least 1 run at once")
	}
	return *f.parallel, nil
}

// SpecFileFlag returns the flag --spec.
func (f *Flags) SpecFileFlag() cli.Flag {
	return cmdline.Flag(&f.spec, "spec",
		"take the spec from `FILE` (- for stdin), as show --spec prints it; other flags change it")
}

// SpecFlags returns the flags that give fields of a spec: those of single fields but some, and --set.
func (f *Flags) SpecFlags(but ...string) (flags []cli.Flag) {
	for _, field := range SpecFields() {
		if hints.HasFlag(field.Name) && !slices.Contains(but, field.Name) {
			flags = append(flags, f.field(field.Name, field.Usage, field.Default))
		}
	}
	return append(flags, f.SetFlag())
}

// A SpecField describes a field that a spec can be given, or a reading.
type SpecField struct{ Name, Usage, Default string }

// SpecFields returns all fields that a spec can be given, of any environment, and the reading. Callers must not change
// them. They are made once, since each start of the program asks for them a dozen times.
var SpecFields = sync.OnceValue(func() []SpecField {
	paper := pod.PaperSpec()
	usages := map[string]string{
		"env": "the environment, of those that podtrack env lists, exec:CMD (with quotes as for a shell) or gym:NAME",
	}
	defaults := map[string]string{} // of fields that the paper's spec does not show
	for _, name := range schema.OptionalFields() {
		defaults[name], _ = paper.Get(name)
		usages[name] = schema.UsageOf(name)
	}
	for _, name := range paper.FieldNames() {
		usages[name] = cmp.Or(usages[name], schema.UsageOf(name))
	}
	for _, stage := range schema.ExternalStages() {
		usages[stage] += ", or exec:CMD (a program of yours, with quotes as for a shell, see podtrack help stages)"
	}
	for _, b := range envs.RegisteredEnvs() {
		for _, p := range ParametersOf(b) {
			if _, known := defaults[p.Name]; !known {
				defaults[p.Name] = p.Default
			}
			switch owners, usage, _ := strings.Cut(usages[p.Name], ": "); {
			case usages[p.Name] == "":
				usages[p.Name] = b.Name + ": " + p.Usage
			case usage == p.Usage:
				usages[p.Name] = owners + ", " + b.Name + ": " + usage
			}
		}
	}
	all := []SpecField{{"reading", "basis and dataset together: " + schema.DescribeReadings() + "; or " +
		schema.CoveringEigenoptions + ", which sets method, state_set, select, sides and option_probability too",
		paper.Reading()}}
	for _, field := range paper.Fields() {
		if usage := usages[field.Name]; usage != "" {
			all = append(all, SpecField{field.Name, usage, field.Value})
		}
	}
	for _, name := range otherFields(paper) {
		all = append(all, SpecField{name, usages[name], defaults[name]})
	}
	return all
})

// parameter is a parameter of an environment, a whole number or text.
type parameter struct{ Name, Default, From, To, Usage string }

// ParametersOf returns the parameters of a built-in environment.
func ParametersOf(b envs.RegisteredEnv) (all []parameter) {
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

// otherFields returns the fields that a spec may have but this one does not: parameters
// of other environments, and optional fields.
func otherFields(spec schema.Spec) (names []string) {
	for _, b := range envs.RegisteredEnvs() {
		for _, p := range ParametersOf(b) {
			if _, has := spec.Get(p.Name); !has && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return append(names, schema.OptionalFields()...)
}
