package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// kindWords maps the prunable kinds to their names for users.
var kindWords = map[schema.Kind]string{
	schema.KindTransitions: "transitions", schema.KindFactors: "factors", schema.KindValue: "values",
	schema.KindOption: "options",
}

// KeepKinds returns the kinds that a [ParseKeep] list may name.
func KeepKinds() (words []string) {
	return textfmt.Map(tracker.PrunableKinds, func(kind schema.Kind) string { return kindWords[kind] })
}

// ParseKeep parses a list of kinds, all or none. Kinds that are always kept may be named.
func ParseKeep(list string) (k tracker.Retention, err error) {
	k = tracker.Retention{Kinds: []schema.Kind{}}
	wanted := map[schema.Kind]bool{}
	everything := list == "all"
	for _, word := range strings.Split(list, ",") {
		kind, ok := kindOf(word)
		switch {
		case everything:
		case !ok && word != "none":
			return k, schema.Hint(fmt.Errorf("invalid kind of records to keep: %q", word),
				"name some of %s, or all, or none, which keeps digests and measures", strings.Join(KeepKinds(), ", "))
		case word == "none" && list != "none":
			return k, schema.Hint(fmt.Errorf("%q names none together with other kinds", list), "leave none out")
		}
		wanted[kind] = true
	}
	for _, kind := range tracker.PrunableKinds {
		if wanted[kind] || everything {
			k.Kinds = append(k.Kinds, kind)
		}
	}
	return k, nil
}

func kindOf(word string) (schema.Kind, bool) {
	if word == string(schema.KindTheta) {
		return schema.KindValue, true // a learner of weights keeps them where others keep values
	}
	for kind, plural := range kindWords {
		if word == plural || word == string(kind) {
			return kind, true
		}
	}
	kind := schema.Kind(word)
	return kind, slices.Contains(schema.Kinds, kind)
}

// FormatKeep returns the retained kinds as one word, for filters.
func FormatKeep(k *tracker.Retention) string {
	if k == nil || k.KeepsEverything() {
		return "all"
	}
	words := textfmt.Map(k.Kinds, func(kind schema.Kind) string { return kindWords[kind] })
	return cmp.Or(strings.Join(words, "+"), "none")
}

// normalKeep returns a list of kinds with + between as [FormatKeep] does, in its order, and whether it is one.
func normalKeep(text string) (normal string, ok bool) {
	k, err := ParseKeep(strings.ReplaceAll(text, "+", ","))
	return FormatKeep(&k), err == nil
}
