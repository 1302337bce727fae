package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Field is one of a spec's fields as text.
type Field struct{ Name, Value string }

// A ValueKind is a kind of values that fields have.
type ValueKind string

// The kinds of values of a spec's fields.
const (
	Natural     ValueKind = "natural" // a whole number from 0 to 2⁶⁴ − 1
	Integer     ValueKind = "integer" // a whole number of 64 bits with a sign
	Number      ValueKind = "number"  // a finite number
	Word        ValueKind = "word"    // one of a few words
	Text        ValueKind = "text"
	DigestValue ValueKind = "digest"
)

// FieldType describes the values of a field.
type FieldType struct {
	Kind  ValueKind
	Words func() []string // of a Word, podtrack's own words; else nil

	// Normal returns the form in which specs have a text that is none of the words, and whether that is a value, too;
	// it is nil if none is. Forms are those of such texts, for hints.
	Normal func(text string) (normal string, ok bool)
	Forms  func() []string
}

// stageOf returns the type of a field that names what computes a stage: one of some words, or the name and the version
// that a program declares.
func stageOf(words func() []string) FieldType {
	return FieldType{Kind: Word, Words: words, Forms: listOf(programForm), Normal: program}
}

// programForm is the form of the text of a stage that a program computes.
const programForm = "NAME VERSION of a program"

func program(text string) (normal string, ok bool) { return text, strings.Contains(text, " ") }

// listOf returns a function that returns words.
func listOf(words ...string) func() []string { return func() []string { return words } }

// A specField is a field of specs.
type specField struct {
	name  string
	usage string // what it is, on one line
	holds FieldType
	text  func(Spec) string
	set   func(s *Spec, text string) error
	form  string            // of a text that can be set, "" for that of its kind
	check func(*Spec) error // beyond its being one of the words; nil if every value is allowed

	// isOptional is true if a spec shows the field only where its text is not empty. An empty text stands for the
	// default, usual, which is "" if the field cannot be set.
	isOptional bool
	usual      string
}

// checked returns the field with a check of its value.
func (f specField) checked(check func(*Spec) error) specField {
	f.check = check
	return f
}

// requires returns the field with a further condition on specs. args are those of the hint, or functions of the spec
// that return them.
func (f specField) requires(holds func(*Spec) bool, hint string, args ...any) specField {
	before, text := f.check, f.text
	return f.checked(func(s *Spec) error {
		if before != nil {
			if err := before(s); err != nil {
				return err
			}
		}
		if holds(s) {
			return nil
		}
		values := slices.Clone(args)
		for i, arg := range args {
			if of, ok := arg.(func(*Spec) any); ok {
				values[i] = of(s)
			}
		}
		return Invalid(f.name, text(*s), hint, values...)
	})
}

// The method and the learner of a spec, for hints.
var (
	ownMethod  = func(s *Spec) any { return cmp.Or(s.Method, POD) }
	ownLearner = func(s *Spec) any { return s.Learner }
)

// checkWord returns [ErrSpec] if the field of a spec is none of its words.
func (f *specField) checkWord(s *Spec) error {
	if f.holds.Kind != Word || f.holds.Normal != nil {
		return nil
	}
	if text, shown := f.shown(*s); shown && !slices.Contains(f.holds.Words(), text) {
		return Invalid(f.name, text, "use %s", textfmt.Alternatives(f.holds.Words()))
	}
	return nil
}

// describeEntries lists what is built in, with a line about each.
func describeEntries[T any](r *Registry[T], usage func(T) string) string {
	var all []string
	for name, e := range r.builtin() {
		all = append(all, fmt.Sprintf("%s (%s)", name, usage(e)))
	}
	return strings.Join(all, ", ")
}

// naturalField returns a field whose value is a whole number without a sign.
func naturalField(name, usage string, of func(*Spec) *uint64) specField {
	return wholeField(name, usage, Natural, of, strconv.ParseUint)
}

// integerField returns a field whose value is a whole number.
func integerField(name, usage string, of func(*Spec) *int64) specField {
	return wholeField(name, usage, Integer, of, strconv.ParseInt)
}

func wholeField[T int64 | uint64](
	name, usage string, kind ValueKind, of func(*Spec) *T, parse func(text string, base, bits int) (T, error),
) specField {
	return specField{name: name, usage: usage, holds: FieldType{Kind: kind},
		text: func(s Spec) string { return fmt.Sprint(*of(&s)) },
		set: func(s *Spec, text string) (err error) {
			*of(s), err = parse(textfmt.PlainInteger(text), 10, 64)
			return err
		}}
}

// numberField returns a field whose value is a number.
func numberField(name, usage string, of func(*Spec) *float64) specField {
	return specField{name: name, usage: usage, holds: FieldType{Kind: Number},
		text: func(s Spec) string { return formatFloat(*of(&s)) },
		set:  func(s *Spec, text string) (err error) { *of(s), err = strconv.ParseFloat(text, 64); return err }}
}

// wordField returns a field whose value is one of some words.
func wordField[T ~string](name, usage string, of func(*Spec) *T, words ...T) specField {
	all := textfmt.Map(words, func(word T) string { return string(word) })
	return specField{name: name, usage: usage, holds: FieldType{Kind: Word, Words: listOf(all...)},
		text: func(s Spec) string { return string(*of(&s)) },
		set:  func(s *Spec, text string) error { *of(s) = T(text); return nil }}
}

// optionalWord returns a field whose value is empty for the first word.
func optionalWord[T ~string](name, usage string, of func(*Spec) *T, usual T, others ...T) specField {
	return optional(string(usual), wordField(name, usage, of, slices.Insert(others, 0, usual)...))
}

// parsedField returns a field whose value is empty for the first of some words, another one of them, or a text of one
// of some forms, of which parse returns the canonical one.
func parsedField[T ~string](
	name, usage string, of func(*Spec) *T, parse func(string) (T, error), words, forms []string,
) specField {
	f := wordField(name, usage, of)
	f.form = name + ": " + textfmt.Alternatives(slices.Concat(words, forms))
	f.set = func(s *Spec, text string) (err error) { *of(s), err = parse(text); return err }
	f.holds = FieldType{Kind: Word, Words: listOf(words...), Forms: listOf(forms...),
		Normal: func(text string) (normal string, ok bool) {
			value, err := parse(text)
			return string(value), err == nil
		}}
	return optional(words[0], f)
}

// stageField returns a field that names what computes a stage.
func stageField(stage, usage string, holds FieldType) specField {
	return specField{name: stage, usage: usage, holds: holds,
		text: func(s Spec) string {
			kind := findStage(stage)
			switch p := s.Stages.Of(stage); {
			case p != nil:
				return p.String()
			case kind.named == nil:
				return ""
			}
			return *kind.named(&s)
		},
		set: func(s *Spec, text string) error {
			if text != string(ExternalMethod) { // which keeps the declaration
				s.SetStage(stage, nil)
			}
			*findStage(stage).named(s) = text
			return nil
		}}
}

// unnamedStageField returns the field of a stage that has no name in a spec unless it is external.
func unnamedStageField(stage, usage, usual string) specField {
	f := stageField(stage, usage, stageOf(listOf(usual)))
	f.set = func(s *Spec, text string) error {
		if text != usual && text != "" {
			return Hint(fmt.Errorf("%w: %s %q", ErrSpec, stage, text), AdviceStageNames, usual)
		}
		s.SetStage(stage, nil)
		return nil
	}
	return optional(usual, f)
}

// optional returns a field that a spec shows only where it does not have its usual value, whose text is then empty.
func optional(usual string, f specField) specField {
	text, set := f.text, f.set
	f.usual, f.isOptional = usual, true
	f.text = func(s Spec) string {
		if t := text(s); t != usual && t != "-0" {
			return t
		}
		return ""
	}
	f.set = func(s *Spec, t string) error {
		if t == usual && f.holds.Kind == Word {
			t = ""
		}
		return set(s, t)
	}
	return f
}

// shown returns the field's text in a spec, and whether the spec shows it.
func (s *specField) shown(spec Spec) (text string, shown bool) {
	text = s.text(spec)
	return text, text != "" || !s.isOptional
}

// findField returns the field of that name, or nil.
func findField(name string) *specField {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// The types of fields whose values are words, or texts of a certain form.
var (
	selectType = FieldType{Kind: Word, Words: selectionWords,
		Forms: func() []string { return append(valuedSelections(), programForm) },
		Normal: func(text string) (normal string, ok bool) {
			r, err := Select(text).ParseRule()
			if err != nil {
				return program(text)
			}
			return string(r.Canonical()), true
		}}
	leaveOutType = FieldType{Kind: Word, Words: listOf(noOptions), Forms: listOf("numbers of options such as 3+17"),
		Normal: func(text string) (normal string, ok bool) {
			numbers, err := parseOptions(text)
			slices.Sort(numbers)
			return formatOptions(numbers), err == nil
		}}
)

// TypeOfField returns the type of a field that every spec has, or can have, whatever its environment.
func TypeOfField(name string) (t FieldType, found bool) {
	f := findField(name)
	switch {
	case name == "env":
		return FieldType{Kind: Text}, true
	case f == nil:
		return t, false
	}
	return f.holds, true
}

// UsageOf returns a line of help about a field of specs. It returns "" for the parameters of environments and for
// fields that cannot be set.
func UsageOf(name string) string {
	if f := findField(name); f != nil {
		return f.usage
	}
	return ""
}

// OptionalFields returns the names of the fields that can be set, and that a spec shows only where they do not have
// their defaults.
func OptionalFields() (names []string) {
	for _, f := range fields {
		if f.usual != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// EnvVersion is the field that has the version which the program of an environment in another process declares.
const EnvVersion = "env_version"

// Fields returns all fields of the spec, the environment's parameters included, in display order.
func (s Spec) Fields() []Field {
	parameters := s.Env.Parameters()
	list := make([]Field, 0, 2+len(parameters)+len(fields))
	list = append(list, Field{"env", s.Env.Name})
	if s.Env.External != nil {
		list = append(list, Field{EnvVersion, s.Env.External.Version})
	}
	for _, key := range parameters {
		value, _ := s.Env.Parameter(key)
		list = append(list, Field{key, value})
	}
	for i := range fields {
		if text, shown := fields[i].shown(s); shown {
			list = append(list, Field{fields[i].name, text})
		}
	}
	return append(list, s.StageParameters()...)
}

// FieldNames returns the names of [Spec.Fields].
func (s Spec) FieldNames() []string {
	return textfmt.Map(s.Fields(), func(f Field) string { return f.Name })
}

// Get returns the named field as text, and whether the spec has it. Of several fields of one name it is the
// first of [Spec.Fields].
func (s Spec) Get(name string) (string, bool) {
	if name == "env" {
		return s.Env.Name, true
	}
	if name == EnvVersion && s.Env.External != nil {
		return s.Env.External.Version, true
	}
	if v, ok := s.Env.Parameter(name); ok {
		return v, true
	}
	if f := findField(name); f != nil {
		text, shown := f.shown(s)
		return cmp.Or(text, f.usual), shown || f.usual != ""
	}
	for _, f := range s.StageParameters() {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}

// Set sets the named field from text. It returns [ErrSpec] if the text cannot be parsed; [Spec.Validate] and the
// environment check the value itself. After an error the spec is unchanged.
func (s *Spec) Set(name, value string) error {
	changed := *s
	err := changed.set(name, value)
	if err == nil {
		*s = changed
	}
	return err
}

func (s *Spec) set(name, value string) (err error) {
	f := findField(name)
	switch {
	case f != nil:
		err = f.set(s, value)
	case name == "env":
		s.Env.Name = value
	case name == "reading":
		return s.SetReading(value)
	default:
		err = s.setParameter(name, value)
	}
	if err != nil && !errors.Is(err, ErrSpec) {
		return Invalid(name, value, "give a %s", f.describeValue())
	}
	return err
}

// Settable returns the names that [Spec.Set] accepts.
func (s *Spec) Settable() []string {
	names := []string{"reading"}
	for _, name := range append(s.FieldNames(), OptionalFields()...) {
		if name != "env" && name != EnvVersion && name != "data" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// setParameter sets a parameter of the environment.
func (s *Spec) setParameter(name, value string) (err error) {
	_, number := s.Env.Params[name]
	_, text := s.Env.Text[name]
	s.Env = s.Env.Clone()
	switch {
	case number:
		s.Env.Params[name], err = strconv.ParseInt(textfmt.PlainInteger(value), 10, 64)
	case text:
		s.Env.Text[name] = value
	default:
		err = Hint(fmt.Errorf("%w: no field %q", ErrSpec, name), AdviceChoose, Choice{name, "fields", s.Settable()})
	}
	return err
}

// describeValue returns what can be set, nil for a parameter of an environment.
func (f *specField) describeValue() string {
	switch {
	case f == nil:
	case f.form != "":
		return f.form
	case f.holds.Kind == Number:
		return "number such as 0.99"
	case f.holds.Kind == Natural:
		return "whole number from 0 to 18446744073709551615"
	}
	return "whole number"
}
