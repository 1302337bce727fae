package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Stages are the declarations of a run's external stages, which a program or a function outside podtrack
// computes. A nil stage is built in.
type Stages struct {
	Collect *StageProgram `cbor:"collect,omitempty" json:"collect,omitempty"`
	Method  *StageProgram `cbor:"method,omitempty" json:"method,omitempty"`
	Select  *StageProgram `cbor:"select,omitempty" json:"select,omitempty"`
	Learner *StageProgram `cbor:"learner,omitempty" json:"learner,omitempty"`
	Measure *StageProgram `cbor:"measure,omitempty" json:"measure,omitempty"` // beside the built-in one
}

// A StageProgram is the declaration of an external stage. It enters the spec, so that a run with another
// declaration is another run. A change of what the stage computes needs another version.
type StageProgram struct {
	Name    string            `cbor:"name" json:"name"`       // up to 100 letters, digits and . _ / -
	Version string            `cbor:"version" json:"version"` // up to 100 printable characters
	Params  map[string]string `cbor:"params,omitempty" json:"params,omitempty"`

	// Input is what a method or collect stage is given: empty for [InputRows], or [InputSteps].
	Input StageInput `cbor:"input,omitempty" json:"input,omitempty"`
	// Learns is what a learner returns for a purpose, and Model what it learns on. Both are empty for other stages.
	Learns Learns       `cbor:"learns,omitempty" json:"learns,omitempty"`
	Model  LearnerModel `cbor:"model,omitempty" json:"model,omitempty"`
	// Measures are the names of the measures that a measure stage returns, in display order.
	Measures []string `cbor:"measures,omitempty" json:"measures,omitempty"`
}

// A StageInput is what an external method or collect stage asks to be given.
type StageInput string

// Learns is the form of what an external learner returns for a purpose.
type Learns string

// LearnerModel is the model that an external learner learns on.
type LearnerModel string

// The values of an external stage's choices.
const (
	InputRows        StageInput = ""            // of a method: D's distinct rows and their counts
	InputTransitions StageInput = "transitions" // the observed transitions too, with their counts

	InputSteps   StageInput = ""        // of a program that collects: how many steps are wanted
	InputOptions StageInput = "options" // the action set's options too, with their policies

	LearnsValues  Learns = "values"  // v, one number for each state
	LearnsWeights Learns = "weights" // θ of a linear q

	OnOwnModel      LearnerModel = "own"      // the environment's
	OnObservedModel LearnerModel = "observed" // that the observed transitions make
)

// The names that a spec has in place of a built-in method, selection or learner.
const (
	ExternalMethod  Method  = "external"
	ExternalLearner Learner = "external"

	ByProgram Criterion = "external"
)

// noMeasures is the text of a spec without an external measure stage.
const noMeasures = "none"

// DefaultPolicy is the name of the built-in way to collect: uniformly random over actions and options.
const DefaultPolicy = "walk"

// The stages that can be external, as errors and messages name them, and as fields of a spec.
const (
	CollectStage = "collect"
	MethodStage  = "method"
	SelectStage  = "select"
	LearnerStage = "learner"
	MeasureStage = "measure"
)

// String returns the name and the version.
func (s StageProgram) String() string { return s.Name + " " + s.Version }

// Equal reports whether s and q declare the same stage.
func (s *StageProgram) Equal(q *StageProgram) bool {
	if s == nil || q == nil {
		return s == q
	}
	return s.Name == q.Name && s.Version == q.Version && maps.Equal(s.Params, q.Params) &&
		s.Input == q.Input && s.Learns == q.Learns && s.Model == q.Model && slices.Equal(s.Measures, q.Measures)
}

func (s *StageProgram) clone() *StageProgram {
	if s == nil {
		return nil
	}
	q := *s
	q.Params, q.Measures = maps.Clone(s.Params), slices.Clone(s.Measures)
	return &q
}

// A stageKind is a stage that can be external.
type stageKind struct {
	name     string
	declared func(*Stages) **StageProgram
	named    func(*Spec) *string // what a spec has in place of a built-in one; nil if it names none
	input    StageInput          // that it may ask for beside the empty one
	level    Level               // of its records where it is not executed again
}

// stageKinds are the stages that can be external, in the order in which a run executes them.
var stageKinds = []stageKind{
	{CollectStage, func(s *Stages) **StageProgram { return &s.Collect }, nil, InputOptions, Verified},
	{MethodStage, func(s *Stages) **StageProgram { return &s.Method },
		func(s *Spec) *string { return (*string)(&s.Method) }, InputTransitions, Verified},
	{SelectStage, func(s *Stages) **StageProgram { return &s.Select },
		func(s *Spec) *string { return (*string)(&s.Select) }, "", Claimed},
	{LearnerStage, func(s *Stages) **StageProgram { return &s.Learner },
		func(s *Spec) *string { return (*string)(&s.Learner) }, "", Verified},
	{MeasureStage, func(s *Stages) **StageProgram { return &s.Measure }, nil, "", Claimed},
}

// findStage returns the stage of that name, nil if there is none.
func findStage(name string) *stageKind {
	if i := slices.IndexFunc(stageKinds, func(k stageKind) bool { return k.name == name }); i >= 0 {
		return &stageKinds[i]
	}
	return nil
}

// clone returns a copy of s that shares nothing with it, nil for nil.
func (s *Stages) clone() *Stages {
	if s == nil {
		return nil
	}
	return &Stages{s.Collect.clone(), s.Method.clone(), s.Select.clone(), s.Learner.clone(), s.Measure.clone()}
}

// Of returns the declaration of a stage, nil for a built-in one. s may be nil.
func (s *Stages) Of(stage string) *StageProgram {
	kind := findStage(stage)
	if s == nil || kind == nil {
		return nil
	}
	return *kind.declared(s)
}

// ExternalMeasureNames returns the names of the external measures, nil if no stage makes any.
func (s Spec) ExternalMeasureNames() []string {
	if p := s.Stages.Of(MeasureStage); p != nil {
		return p.Measures
	}
	return nil
}

// Names returns the names of the stages that are external, in the order of [ExternalStages]. s may be nil.
func (s *Stages) Names() []string {
	return slices.DeleteFunc(ExternalStages(), func(stage string) bool { return s.Of(stage) == nil })
}

// ExternalStages returns the names of the stages that can be external, in the order in which a run executes them.
func ExternalStages() (names []string) {
	return textfmt.Map(stageKinds, func(kind stageKind) string { return kind.name })
}

// SetStage makes a stage external, with declaration p, or built-in if p is nil. A built-in method, selection or
// learner then needs a name. The spec keeps a copy of p.
func (s *Spec) SetStage(stage string, p *StageProgram) {
	kind := findStage(stage)
	if kind == nil {
		return
	}
	x := s.Stages.clone()
	if x == nil {
		x = &Stages{}
	}
	*kind.declared(x) = p.clone()
	if kind.named != nil {
		*kind.named(s) = ""
		if p != nil {
			*kind.named(s) = string(ExternalMethod)
		}
	}
	if s.Stages = x; *x == (Stages{}) {
		s.Stages = nil
	}
}

// StageParameters returns the parameters that external stages declare, as fields whose names begin with
// that of the stage, as in select_share.
func (s Spec) StageParameters() (list []Field) {
	for _, stage := range ExternalStages() {
		if p := s.Stages.Of(stage); p != nil {
			for _, name := range slices.Sorted(maps.Keys(p.Params)) {
				list = append(list, Field{stage + "_" + name, p.Params[name]})
			}
		}
	}
	return list
}

// checkStages does the part of [Spec.Validate] that concerns external stages.
func (s *Spec) checkStages() error {
	for _, kind := range stageKinds {
		stage, p, name := kind.name, s.Stages.Of(kind.name), string(ExternalMethod)
		if kind.named != nil {
			name = *kind.named(s)
		}
		switch {
		case p == nil && (kind.named == nil || name != string(ExternalMethod)):
			continue
		case p == nil:
			return Hint(fmt.Errorf("%w: %s %s without its declaration", ErrSpec, stage, ExternalMethod),
				AdviceStageProgram, stage)
		case name != string(ExternalMethod):
			return Hint(fmt.Errorf("%w: %s %q with the declaration of an external one", ErrSpec, stage, name),
				"use %s %s, or leave the declaration out", stage, ExternalMethod)
		case stage == CollectStage && s.OptionProbability != 0:
			return Invalid("option_probability", formatFloat(s.OptionProbability),
				"leave it out: the program that collects decides when options are called")
		case stage == CollectStage && s.Behaviour != Uniform:
			return Invalid("behaviour", string(s.Behaviour),
				"leave it out: the program that collects decides how long actions are taken")
		}
		if err := CheckStage(stage, *p); err != nil {
			return err
		}
		for _, name := range p.Measures {
			if _, parameter := s.Env.Parameter(name); parameter {
				return Hint(fmt.Errorf("%w: the measure %s has the name of a parameter of environment %q", ErrSpec, name,
					s.Env.Name), "give the measure another name")
			}
		}
	}
	return s.CheckData()
}

// CheckData returns [ErrSpec] for a spec with two sources of iteration 0's steps.
func (s Spec) CheckData() error {
	if !s.Data.IsZero() && s.Stages.Of(CollectStage) != nil {
		return Hint(fmt.Errorf("%w: both imported data and a program that collects", ErrSpec), "leave one of them out")
	}
	return nil
}

// Bounds on what a program declares, and the forms of its names.
const (
	maxDeclaredParams = 64
	maxNameBytes      = 100 // of a name, a version
	maxValueBytes     = 1000

	// ParameterForm says which names [IsParameterName] accepts.
	ParameterForm = "a name has up to 100 lower-case letters, digits, _ and -"
)

var (
	declaredPattern  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)
	parameterPattern = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
)

// IsParameterName reports whether a parameter may have the name.
func IsParameterName(name string) bool {
	return parameterPattern.MatchString(name) && len(name) <= maxNameBytes
}

// CheckDeclared returns an error that says what is declared unless a program may declare the name, the version and the
// parameters of a stage or an environment.
func CheckDeclared(name, version string, params map[string]string) error {
	switch {
	case !declaredPattern.MatchString(name) || len(name) > maxNameBytes:
		return fmt.Errorf("the name %.80q; a name has up to %d letters, digits and . _ / -", name, maxNameBytes)
	case !IsPrintable(version, maxNameBytes):
		return fmt.Errorf("the version %.80q; a version has 1 to %d printable characters", version, maxNameBytes)
	case len(params) > maxDeclaredParams:
		return fmt.Errorf("%d parameters; there can be %d", len(params), maxDeclaredParams)
	}
	for name, value := range params {
		switch {
		case !IsParameterName(name):
			return fmt.Errorf("the parameter %.80q; %s", name, ParameterForm)
		case value != "" && !IsPrintable(value, maxValueBytes):
			return fmt.Errorf("%.80q for the parameter %q; a value has up to %d printable characters", value, name,
				maxValueBytes)
		}
	}
	return nil
}

// CheckStage returns [ErrSpec] unless an external stage, one of [ExternalStages], may declare p.
func CheckStage(stage string, p StageProgram) error {
	wrong := func(format string, args ...any) error {
		return Hint(fmt.Errorf("%w: an external %s declares "+format, append([]any{ErrSpec, stage}, args...)...),
			"change what the %s declares", stage)
	}
	kind := cmp.Or(findStage(stage), &stageKind{})
	switch {
	case p.Params != nil && len(p.Params) == 0:
		return wrong("an empty set of parameters, which is left out")
	case p.Input != "" && p.Input != kind.input:
		return wrong("the input %.80q; a method may ask for %s, one that collects for %s, and no other stage for any",
			p.Input, InputTransitions, InputOptions)
	case stage != LearnerStage && (p.Learns != "" || p.Model != ""):
		return wrong("that it learns %.80q on the model %.80q; only a learner learns", p.Learns, p.Model)
	case stage == LearnerStage && p.Learns != LearnsValues && p.Learns != LearnsWeights:
		return wrong("that it learns %.80q; a learner learns %s or %s", p.Learns, LearnsValues, LearnsWeights)
	case stage == LearnerStage && p.Model != OnOwnModel && p.Model != OnObservedModel:
		return wrong("the model %.80q; a learner learns on the model %s, the environment's, or %s", p.Model, OnOwnModel,
			OnObservedModel)
	case p.Learns == LearnsWeights && p.Model != OnObservedModel:
		return wrong("weights on the model %s; weights are learned on the model %s", p.Model, OnObservedModel)
	}
	if err := cmp.Or(CheckDeclared(p.Name, p.Version, p.Params), checkMeasureNames(stage, p.Measures)); err != nil {
		return wrong("%w", err)
	}
	return nil
}

// checkMeasureNames returns an error unless a stage may declare measures of these names.
func checkMeasureNames(stage string, names []string) error {
	switch {
	case stage != MeasureStage && len(names) == 0:
		return nil
	case stage != MeasureStage:
		return errors.New("measures, which only a stage that measures declares")
	case len(names) == 0 || len(names) > maxExternalMeasures:
		return fmt.Errorf("%d measures; there can be 1 to %d", len(names), maxExternalMeasures)
	}
	for i, name := range names {
		switch {
		case !isMeasureName(name):
			return fmt.Errorf("the measure %.80q; a name has up to %d lower-case letters, digits and _", name,
				maxMeasureNameBytes)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("the measure %s twice", name)
		}
	}
	return nil
}

// IsPrintable reports whether a text has 1 to limit bytes, all of them printable on one line.
func IsPrintable(text string, limit int) bool {
	if text == "" || len(text) > limit || !utf8.ValidString(text) {
		return false
	}
	return !slices.ContainsFunc([]rune(text), func(r rune) bool { return !unicode.IsPrint(r) })
}

// A Level says how strongly a stage's recorded result is supported.
type Level string

// The levels, the highest first.
const (
	Recomputed Level = "recomputed" // executed again from its recorded inputs, with the same bits
	Verified   Level = "verified"   // not executed again; its records meet every condition on a valid result
	Claimed    Level = "claimed"    // only the records support it: bytes and chain are checked, content is not
)

// Levels returns the levels, the highest first.
func Levels() []Level { return []Level{Recomputed, Verified, Claimed} }

// LevelWithout returns the level of the records of a stage, one of [ExternalStages], where no program but podtrack
// executes it again: [Verified] or [Claimed] for an external stage, and for the steps in an external environment;
// otherwise [Recomputed].
func (s Spec) LevelWithout(stage string) Level {
	kind := findStage(stage)
	switch {
	case stage == CollectStage && s.Env.External != nil:
		return Claimed // podtrack knows nothing that the transitions of an external environment must fulfil
	case kind == nil || s.Stages.Of(stage) == nil:
		return Recomputed
	}
	return kind.level
}
