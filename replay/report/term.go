package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrFilter is the error of an invalid filter.
var ErrFilter = errors.New("invalid filter")

// term is a condition on a field of a run.
type term struct {
	key      string
	operator string // one of the operators below
	negated  bool   // !=: the operator is equals
	values   []value
	text     string // as it was written
}

// The operators of terms. In a shell <, > and ! need quotes, so that each has a form in letters,
// written key.gt=value.
const (
	equals   = "="
	contains = "~"
	differs  = "!="
	below    = "<"
	above    = ">"
	atMost   = "<="
	atLeast  = ">="
)

var (
	// operators are in the order in which they are looked for: the longer one first.
	operators = []string{differs, atMost, atLeast, equals, contains, below, above}

	operatorWords = map[string]string{
		"ne": differs, "lt": below, "gt": above, "le": atMost, "ge": atLeast, "eq": equals, "like": contains,
	}
)

// IsTerm reports whether an argument is a term of a filter, not a reference. Names may have other
// operators than = in them, unless they begin like a term, or compare a word with a number.
func IsTerm(arg string) bool {
	if strings.Contains(arg, equals) {
		return true
	}
	key, operator, value := splitTerm(arg)
	switch operator {
	case "":
		return false
	case below, above:
		return slices.Contains(FilterKeys(), key) || MayBeDeclared(key) && parseValue(value).number
	}
	return slices.Contains(FilterKeys(), key)
}

// splitTerm splits a term at its first operator, which is "" if it has none.
func splitTerm(arg string) (key, operator, value string) {
	at := strings.IndexAny(arg, "=<>!~")
	if at < 0 {
		return arg, "", ""
	}
	for _, o := range operators {
		if value, found := strings.CutPrefix(arg[at:], o); found {
			return arg[:at], o, value
		}
	}
	return arg, "", "" // a lone exclamation mark
}

// parseTerm parses a term: a key, an operator and a value, or several values with commas between
// them for = and !=.
func parseTerm(arg string, keys []string) (t term, err error) {
	if !utf8.ValidString(arg) { // no pattern can be made of it, and no run has it
		return t, schema.Advise(fmt.Errorf("%w: %q is not UTF-8", ErrFilter, arg), AdvicePattern)
	}
	key, operator, text := splitTerm(arg)
	if name, word, found := strings.Cut(key, "."); found && operator == equals && operatorWords[word] != "" {
		key, operator = name, operatorWords[word]
	}
	if !slices.Contains(keys, key) && !declaredKey.MatchString(key) {
		return t, unknownKeyError(key, arg, keys)
	}
	t = term{key: key, operator: operator, text: arg}
	if operator == differs {
		t.operator, t.negated = equals, true
	}
	texts := strings.Split(text, ",")
	if t.orders() {
		texts = []string{text}
	}
	for _, text := range texts {
		v := parseValue(text)
		if v.ranged && compare(v.low, v.high) > 0 {
			return t, schema.Hint(fmt.Errorf("%w: the range in %q is reversed", ErrFilter, arg),
				"write the smaller number first")
		}
		if err := t.checkValue(v, arg); err != nil {
			return t, err
		}
		t.values = append(t.values, v)
	}
	return t, nil
}

// TermKeys returns the keys of the terms among args.
func TermKeys(args []string) (keys []string) {
	for _, arg := range SplitSelection(args) {
		if key, operator, _ := splitTerm(arg); operator != "" {
			name, _, _ := strings.Cut(key, ".")
			keys = append(keys, name)
		}
	}
	return keys
}

// numericKeys are the keys whose values are numbers, beside the measures.
var numericKeys = []string{"seed", "iterations", "target", "bits", "hide", "steps", "kappa", "gamma", "sweeps",
	"tolerance", "numerics", "max_option_steps", "psi_gamma", "option_probability"}

// namedValues has the possible values of the keys that have few.
var namedValues = map[string]func() []string{
	"status": func() []string {
		return []string{
			string(tracker.Running), string(tracker.Interrupted), string(tracker.Complete), string(tracker.Failed),
		}
	},
	"proof_level": func() []string {
		return []string{string(schema.Recomputed), string(schema.Verified), string(schema.Claimed)}
	},
	"reading":       schema.AllReadings,
	"method":        schema.Methods.BuiltinNames,
	"learner":       schema.Learners.BuiltinNames,
	"basis":         schema.Bases,
	"state_set":     func() []string { return []string{"all", string(schema.VisitedStates)} },
	"feature_scale": func() []string { return []string{"none", string(schema.RMS)} },
	"initiation":    func() []string { return []string{"any", string(schema.StartObserved)} },
	"sides":         func() []string { return []string{"two", string(schema.OneSided)} },
	"dataset":       func() []string { return []string{string(schema.PerIteration), string(schema.Cumulative)} },
}

// checkValue returns an error for a value that no run can have.
func (t term) checkValue(v value, arg string) error {
	numeric := IsMeasure(t.key) || slices.Contains(numericKeys, t.key)
	switch {
	case t.operator == contains:
		return nil
	case t.orders() && t.key == "created":
		return nil // as text: 2026-01-31 12:00:00
	case t.orders() && (!v.number || !numeric && (slices.Contains(RunFields, t.key) || namedValues[t.key] != nil)):
		return schema.Hint(fmt.Errorf("%w: %q", ErrFilter, arg), "%s compares numbers, as in kappa%[1]s2", t.operator)
	case v.text == "" || v.pattern != nil:
		return nil
	case t.key == "options" && !v.number && !v.ranged:
		return schema.Hint(fmt.Errorf("%w: options %q in %q is no number", ErrFilter, v.text, arg),
			"options is how many the last iteration made; lifetime=%s is how long they are kept", v.text)
	case numeric && !v.number && !v.ranged:
		return schema.Hint(fmt.Errorf("%w: %s %q in %q is no number", ErrFilter, t.key, v.text, arg),
			"%s=3, %s=1-5 or %s>2 are terms", t.key, t.key, t.key)
	}
	names := namedValues[t.key]
	if t.key == "reading" && strings.Contains(v.text, "+") {
		return nil // of a basis and a dataset that have no name together
	}
	if slices.Contains(schema.ExternalStages(), t.key) && strings.Contains(v.text, " ") {
		return nil // the name and version of a program
	}
	if names != nil && !slices.Contains(names(), v.text) {
		return schema.Hint(fmt.Errorf("%w: no %s %q", ErrFilter, t.key, v.text), "%s",
			textform.DidYouMean(v.text, "values", names()))
	}
	return nil
}

// orders reports whether the operator is one of <, >, <= and >=.
func (t term) orders() bool {
	return slices.Contains([]string{below, above, atMost, atLeast}, t.operator)
}
