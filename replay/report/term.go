package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// ErrFilter is the error of an invalid filter.
var ErrFilter = errors.New("invalid filter")

// term is a condition on a field of a run.
type term struct {
	key      string
	holds    schema.FieldType // of the key
	operator string           // one of the operators below
	negated  bool             // !=: the operator is equals
	values   []value
	text     string // as it was written
}

// The operators of terms. In a shell <, > and ! need quotes; each therefore has a form in letters, as in key.gt=value.
const (
	equals   = "="
	exactly  = "==" // of a list: exactly these words
	contains = "~"
	differs  = "!="
	below    = "<"
	above    = ">"
	atMost   = "<="
	atLeast  = ">="
)

var (
	// operators are in the order in which they are searched for: longer ones first.
	operators = []string{differs, atMost, atLeast, exactly, equals, contains, below, above}

	operatorWords = map[string]string{
		"ne": differs, "lt": below, "gt": above, "le": atMost, "ge": atLeast, "eq": equals, "like": contains,
	}
)

// IsTerm reports whether an argument is a term of a filter, not a reference: no name of a run has an operator in it.
func IsTerm(arg string) bool {
	_, operator, _ := splitTerm(arg)
	return operator != ""
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
	if !utf8.ValidString(arg) { // no regexp can match it, and no run has such a value
		return t, schema.Hint(fmt.Errorf("%w: %q is not UTF-8", ErrFilter, arg), AdvicePattern)
	}
	key, operator, text := splitTerm(arg)
	if name, word, found := strings.Cut(key, "."); found && operator == equals && operatorWords[word] != "" {
		key, operator = name, operatorWords[word]
	}
	if !slices.Contains(keys, key) && !declaredKey().MatchString(key) || operator == "" {
		return t, unknownKeyError(key, arg, keys)
	}
	t = term{key: key, holds: typeOfKey(key), operator: operator, text: arg}
	if operator == differs {
		t.operator, t.negated = equals, true
	}
	if err := t.checkOperator(); err != nil {
		return t, err
	}
	texts, err := splitValues(text)
	if err != nil {
		return t, schema.Hint(fmt.Errorf("%w: %q: %w", ErrFilter, arg, err),
			`write %s%s"two words" with both quotes, and \" for a quote within`, key, operator)
	}
	if t.orders() && len(texts) > 1 {
		return t, t.wrongValue(text)
	}
	for _, v := range texts {
		switch {
		case v.quoted:
		case v.text == "" && len(texts) > 1:
			return t, schema.Hint(fmt.Errorf("%w: empty value beside a comma in %q", ErrFilter, arg),
				`leave the comma out, or write "" for runs without a %s`, key)
		case strings.ContainsAny(v.text[:min(len(v.text), 1)], "=<>~!"):
			return t, schema.Hint(fmt.Errorf("%w: %q has two operators", ErrFilter, arg),
				"the operators are =, !=, <, <=, >, >=, ~ and == for tags; a value that begins with one is in double quotes")
		}
		if err := t.read(&v); err != nil {
			return t, err
		}
		t.values = append(t.values, v)
	}
	return t, nil
}

// errQuotes is the error of a value that begins with a quote.
var errQuotes = errors.New("a quoted value does not end with a quote")

// splitValues splits a list of values at its commas. A value that begins with a double quote is a quoted string as in
// Go or JSON.
func splitValues(text string) (values []value, err error) {
	for {
		v := value{}
		if strings.HasPrefix(text, `"`) {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, errQuotes
			}
			v.quoted, text = true, text[len(quoted):]
			if v.text, err = strconv.Unquote(quoted); err != nil || text != "" && text[0] != ',' {
				return nil, errQuotes
			}
		} else {
			end := strings.IndexByte(text, ',')
			if end < 0 {
				end = len(text)
			}
			v.text, text = text[:end], text[end:]
		}
		values = append(values, v)
		if text == "" {
			return values, nil
		}
		text = text[1:] // the comma
	}
}

// checkOperator returns an error unless the key's values support the term's operator.
func (t term) checkOperator() error {
	switch kind := t.holds.Kind; {
	case t.operator == exactly && kind != listKind:
		return schema.Hint(fmt.Errorf("%w: %q", ErrFilter, t.text), "== is for tags; write %s=", t.key)
	case t.orders() && (kind == schema.Text || kind == schema.Word || kind == schema.DigestValue || kind == listKind):
		return schema.Hint(fmt.Errorf("%w: %q", ErrFilter, t.text),
			"%s compares numbers, as in kappa%[1]s2, and times, as in created%[1]s2026-11-26", t.operator)
	case t.operator == contains && (isNumeric(kind) || kind == timeKind || kind == ageKind):
		return schema.Hint(fmt.Errorf("%w: %q", ErrFilter, t.text), "~ looks for a part of a text; %s", t.forms())
	}
	return nil
}

// isNumeric reports whether values of a kind are numbers.
func isNumeric(kind schema.ValueKind) bool {
	return kind == schema.Natural || kind == schema.Integer || kind == schema.Number
}

// read parses a value as the key's kind demands, or returns an error for one that no run can have.
func (t term) read(v *value) error {
	if !v.quoted && strings.ContainsAny(v.text, "*?") && t.operator != contains {
		v.pattern = pattern(v.text)
	}
	isAny := !v.quoted && v.text == "*"
	switch kind := t.holds.Kind; {
	case t.orders() && (v.text == "" || isAny):
		return t.wrongValue(v.text)
	case t.operator == contains, v.text == "", isAny && kind != ageKind:
		return nil
	case isNumeric(kind):
		return t.readNumber(v)
	case kind == parameterKind:
		return t.readParameter(v)
	case kind == timeKind, kind == ageKind:
		return t.readTime(v)
	case kind == schema.DigestValue && strings.Trim(strings.ToLower(v.text), "0123456789abcdef*?") != "":
		return t.wrongValue(v.text)
	case kind == schema.Word && v.pattern == nil:
		return t.readWord(v)
	}
	return nil
}

// readNumber parses a number or a range that the key can have.
func (t term) readNumber(v *value) error {
	v.pattern = nil
	v.setNumber()
	switch {
	case !v.isNumber && !v.ranged, t.orders() && v.ranged:
		return t.wrongValue(v.text)
	case v.ranged && v.low.compare(v.high) > 0:
		return t.reversedError()
	case t.holds.Kind == schema.Number:
		return nil
	case !v.low.whole || !v.high.whole, t.holds.Kind == schema.Natural && v.low.negative,
		t.holds.Kind == schema.Integer && v.high.magnitude > math.MaxInt64:
		return t.wrongValue(v.text)
	}
	return nil
}

func (t term) reversedError() error {
	return schema.Hint(fmt.Errorf("%w: the range in %q is reversed", ErrFilter, t.text), "write the smaller number first")
}

// readParameter parses a value of a parameter: a number, a range or a text.
func (t term) readParameter(v *value) error {
	if v.quoted {
		return nil
	}
	v.setNumber()
	switch {
	case t.orders() && !v.isNumber:
		return t.wrongValue(v.text)
	case v.ranged && v.low.compare(v.high) > 0:
		return t.reversedError()
	}
	return nil
}

// readTime parses a time, or an age, which it converts to the time at which a run of that age was created.
func (t term) readTime(v *value) (err error) {
	v.pattern = nil
	ok := false
	if t.holds.Kind == timeKind {
		v.from, v.until, ok = parseMoment(v.text)
	} else {
		var age, unit time.Duration
		age, unit, ok = parseAge(v.text)
		now := time.Now()
		v.from, v.until = now.Add(1-age-unit), now.Add(1-age)
		if t.orders() { // compared with <, an age is a moment, not a period
			v.from, v.until = now.Add(-age), now.Add(1-age)
		}
	}
	if !ok {
		return t.wrongValue(v.text)
	}
	return nil
}

// readWord brings a word into the form that specs have, or returns an error for one that the key cannot have.
func (t term) readWord(v *value) error {
	word := v.text
	if slices.Contains(t.holds.Words(), word) {
		return nil
	}
	if t.holds.Normal != nil {
		if normal, ok := t.holds.Normal(word); ok {
			v.text = normal
			return nil
		}
	}
	values := t.holds.Words()
	if t.holds.Forms != nil {
		values = slices.Concat(values, t.holds.Forms())
	}
	hint := textfmt.DidYouMean(word, "values", values)
	if slices.Contains(schema.ExternalStages(), t.key) {
		hint += fmt.Sprintf("; %s=%s* finds those that begin with %[2]s", t.key, word)
	}
	return schema.Hint(fmt.Errorf("%w: unknown %s %q", ErrFilter, t.key, word), "%s", hint)
}

// wrongValue returns the error of a value that the key cannot have, with the valid forms as a hint.
func (t term) wrongValue(text string) error {
	kind := map[schema.ValueKind]string{
		schema.Natural: "whole number from 0 to 18446744073709551615", schema.Integer: "whole number",
		schema.Number: "number", schema.DigestValue: "digest", timeKind: "time", ageKind: "age", parameterKind: "number",
	}[t.holds.Kind]
	if t.orders() && (text == "" || strings.Contains(text, ",")) {
		kind = "single " + kind
	}
	return schema.Hint(fmt.Errorf("%w: %s %q in %q is not a %s", ErrFilter, t.key, text, t.text, kind), "%s", t.forms())
}

// forms returns a hint with the forms of values that the key takes.
func (t term) forms() string {
	switch t.holds.Kind {
	case schema.DigestValue:
		return fmt.Sprintf("give the beginning of a digest, as in %s=7c6db5d: its digits are 0 to 9 and a to f", t.key)
	case timeKind:
		return "created=2026-11-26 is that day in UTC, created<2026-11-26 all before it; a year, a month, " +
			"2026-11-26T13:59 and 2026-11-26T13:59:40+01:00 are times, too; age<7d finds those of the last 7 days, age>7d " +
			"those before"
	case ageKind:
		return "age<7d finds the runs of the last 7 days, age>7d those before; the units are s, min, h, d and w"
	}
	if t.key == "options" {
		return "options is the number that the last iteration made; lifetime=replace selects by how long they are kept"
	}
	return fmt.Sprintf("%s=3, %s=1-5 or %s>2 are terms", t.key, t.key, t.key)
}

// orders reports whether the operator is one of <, >, <= and >=.
func (t term) orders() bool {
	return slices.Contains([]string{below, above, atMost, atLeast}, t.operator)
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
