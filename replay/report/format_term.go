package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// FormatTerm returns the term that selects the runs whose [Run.Field] of key is fact. For several tags it selects the
// runs with exactly these. Every filter that podtrack prints consists of such terms.
func FormatTerm(key, fact string) string {
	switch kind := typeOfKey(key).Kind; {
	case fact == "":
		return key + equals
	case kind == timeKind:
		return key + equals + strings.Replace(fact, " ", "T", 1) + "Z"
	case kind == listKind:
		return key + exactly + strings.Join(textfmt.Map(strings.Split(fact, ","), QuoteValue), ",")
	case kind == parameterKind:
		if _, _, ranged := interval(fact); ranged {
			return key + equals + strconv.Quote(fact)
		}
	}
	return key + equals + QuoteValue(fact)
}

// QuoteValue returns a value as it is written in a term: in double quotes if it has a character with a meaning in
// filters.
func QuoteValue(text string) string {
	if text == "" || strings.ContainsAny(text[:1], "=<>~!") || strings.ContainsFunc(text, isSpecial) {
		return strconv.Quote(text)
	}
	return text
}

// isSpecial reports whether a value with this character must be quoted: a separator, wildcard or quote in a filter, or
// one that does not print.
func isSpecial(r rune) bool {
	return strings.ContainsRune(`,*?"'`, r) || unicode.IsSpace(r) || !strconv.IsPrint(r)
}

// FormatSelection joins the arguments of a selection, as [SplitSelection] returns them, into one argument with the same
// meaning.
func FormatSelection(selection []string) string {
	return strings.Join(textfmt.Map(selection, func(arg string) string {
		if t, err := parseTerm(arg, FilterKeys()); err == nil && strings.ContainsFunc(arg, breaksWords) {
			return t.String()
		}
		return arg
	}), " ")
}

// breaksWords reports whether a character splits a selection or does not print.
func breaksWords(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) }

// String returns the term on one line, in a form that parses to the same term.
func (t term) String() string {
	operator := t.operator
	if t.negated {
		operator = differs
	}
	texts := make([]string, len(t.values))
	for i, v := range t.values {
		texts[i] = v.text
		if v.quoted || v.pattern == nil && strings.ContainsFunc(v.text, breaksWords) {
			texts[i] = strconv.Quote(v.text)
		}
	}
	return t.key + operator + strings.Join(texts, ",")
}

// FormatSplit returns a filter for the runs of a selection that have the given values of fields. It lists the IDs of
// runs if the selection names runs.
func FormatSplit(selection, fields, values []string, runs []Run) string {
	var terms []string
	for i, field := range fields {
		terms = append(terms, FormatTerm(field, values[i]))
	}
	var named []string
	for _, arg := range selection {
		key, _, _ := splitTerm(arg)
		name, _, _ := strings.Cut(key, ".")
		kind := typeOfKey(name).Kind
		switch {
		case !IsTerm(arg):
			named = append(named, arg)
		case !slices.Contains(fields, name) || kind == timeKind || kind == ageKind: // a time is shown to the second only
			terms = append(terms, FormatSelection([]string{arg}))
		}
	}
	if len(named) > 0 {
		terms = append(terms, "run="+strings.Join(textfmt.Map(runs, func(r Run) string { return r.Short }), ","))
	}
	return strings.Join(terms, " ")
}
