package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// FormatTerm returns the term that selects the runs of which [Run.Field] returns the given text for a key: of runs with
// several tags, those with these tags alone. Every filter that podtrack prints is made of such terms.
func FormatTerm(key, fact string) string {
	switch kind := typeOfKey(key).Kind; {
	case fact == "":
		return key + equals
	case kind == timeKind:
		return key + equals + strings.Replace(fact, " ", "T", 1) + "Z"
	case kind == listKind:
		words := strings.Split(fact, ",")
		for i, w := range words {
			words[i] = quoteValue(w)
		}
		return key + exactly + strings.Join(words, ",")
	case kind == parameterKind:
		if _, _, ranged := interval(fact); ranged {
			return key + equals + strconv.Quote(fact)
		}
	}
	return key + equals + quoteValue(fact)
}

// quoteValue returns a value as a term has it: as it is, or in double quotes if it has what means something else in a
// filter.
func quoteValue(text string) string {
	if text == "" || strings.ContainsAny(text[:1], "=<>~!") || strings.ContainsFunc(text, isSpecial) {
		return strconv.Quote(text)
	}
	return text
}

// isSpecial reports whether a value with this character is quoted: one that separates, stands for others, quotes, in a
// filter or on the page, or is not shown.
func isSpecial(r rune) bool {
	return strings.ContainsRune(`,*?"'`, r) || unicode.IsSpace(r) || !strconv.IsPrint(r)
}

// FormatSelection returns the arguments of a selection, which [SplitSelection] has split, as one that is read the same.
func FormatSelection(selection []string) string {
	words := make([]string, len(selection))
	for i, arg := range selection {
		words[i] = arg
		if t, err := parseTerm(arg, FilterKeys()); err == nil && strings.ContainsFunc(arg, breaksWords) {
			words[i] = t.String()
		}
	}
	return strings.Join(words, " ")
}

// breaksWords reports whether a character splits a selection, or is not shown.
func breaksWords(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) }

// String returns the term as it is read again, on one line.
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

// FormatSplit returns a selection of those of a selection's runs that have some values of fields. It is a filter, which
// names the runs if the selection names runs.
func FormatSplit(selection, fields, values []string, runs []Run) string {
	var terms []string
	for i, field := range fields {
		terms = append(terms, FormatTerm(field, values[i]))
	}
	var named []string
	for _, arg := range selection {
		key, _, _ := splitTerm(arg)
		switch {
		case !IsTerm(arg):
			named = append(named, arg)
		case !isSettled(key, fields):
			terms = append(terms, FormatSelection([]string{arg}))
		}
	}
	if len(named) > 0 {
		ids := make([]string, len(runs))
		for i, r := range runs {
			ids[i] = r.Short
		}
		terms = append(terms, "run="+strings.Join(ids, ","))
	}
	return strings.Join(terms, " ")
}

// isSettled reports whether all runs that have the same values of fields agree on a term with that key, as they do not
// on one of a time, which is shown to the second.
func isSettled(key string, fields []string) bool {
	name, _, _ := strings.Cut(key, ".")
	kind := typeOfKey(name).Kind
	return slices.Contains(fields, name) && kind != timeKind && kind != ageKind
}
