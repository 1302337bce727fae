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

// Filter is a conjunction of terms. A term is key=value, with alternatives after commas and ranges
// of numbers, as in seed=0-29 reading=as-published tag=x, or has another operator: distance>200
// kappa<=2 purposes!=6 tag~stu. See [parseTerm].
type Filter []term

// ParseFilter parses terms. A key may be a parameter that a program declares; whether one does is checked only when
// runs are selected.
func ParseFilter(args []string) (Filter, error) {
	var f Filter
	keys := FilterKeys()
	for _, arg := range args {
		t, err := parseTerm(arg, keys)
		if err != nil {
			return nil, err
		}
		f = append(f, t)
	}
	return f, nil
}

// Match reports whether the run passes every term. It reads the run's measures and other columns if a term
// needs them.
func (f Filter) Match(tx *tracker.Tx, r *Run) (bool, error) {
	var onDemand Filter
	for _, t := range f {
		switch {
		case isPlaceKey(t.key):
		case r.isOnDemand(t.key):
			onDemand = append(onDemand, t)
		case !t.match(r):
			return false, nil
		}
	}
	if isOne, err := f.of(isPlaceKey).matchPlaces(tx, r); err != nil || !isOne {
		return false, err
	}
	for _, t := range onDemand {
		if err := r.load(tx, t.key); err != nil {
			return false, err
		}
		if !t.match(r) {
			return false, nil
		}
	}
	return true, nil
}

// indexedKeys lists the keys whose runs are found through an index, without reading the rows of all runs, the cheapest
// first.
var indexedKeys = []string{"run", "name", "status", "tag"}

// findCandidates returns a superset of the runs that pass the filter, found through the index of one of its terms. ok
// is false if no term has an index: then any run may pass.
func (f Filter) findCandidates(tx *tracker.Tx) (ids []schema.Digest, ok bool, err error) {
	for _, key := range indexedKeys {
		for _, t := range f {
			if t.key == key && t.isIndexed() {
				ids, err = t.find(tx)
				return ids, true, err
			}
		}
	}
	return nil, false, nil
}

// isIndexed reports whether [term.find] returns the runs that match the term.
func (t term) isIndexed() bool {
	switch t.key {
	case "run":
		isPattern := func(v value) bool { return v.pattern != nil }
		return t.operator == equals && !t.negated && !slices.ContainsFunc(t.values, isPattern)
	case "name":
		return !t.matchesFact("") // most runs have no name
	case "status":
		running := func(v value) bool { return v.text == string(tracker.Running) }
		return t.operator == equals && !t.negated && !slices.ContainsFunc(t.values, func(v value) bool { return !running(v) })
	case "tag":
		return !t.negated && !t.matchesTags(nil) // most runs may have no tag
	}
	return false
}

// find returns at least the runs that match an indexed term.
func (t term) find(tx *tracker.Tx) (ids []schema.Digest, err error) {
	switch t.key {
	case "run":
		for _, v := range t.values {
			ids = append(ids, tx.FindByPrefix(strings.ToLower(v.text))...)
		}
		return ids, nil
	case "name":
		return tx.FindNamed(t.matchesFact)
	case "status":
		return tx.LeasedRuns()
	}
	if t.operator == exactly {
		return tx.FindTagged(func(tag string) bool { return hasTag([]string{tag}, t.values[0]) })
	}
	return tx.FindTagged(t.matchesFact)
}

// of returns the terms whose keys isOne accepts.
func (f Filter) of(isOne func(key string) bool) (terms Filter) {
	for _, t := range f {
		if isOne(t.key) {
			terms = append(terms, t)
		}
	}
	return terms
}

// matchRow reports whether a run with that row passes every term of f, which can be decided from it: see [isOnRow]. It
// ignores terms of external measures.
func (f Filter) matchRow(r tracker.Run) (bool, error) {
	if len(f) == 0 {
		return true, nil
	}
	run, err := describeRow(r)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(f, func(t term) bool { return !run.isMeasure(t.key) && !t.match(&run) }), nil
}

// sortBy sorts items by a comma-separated list of keys, such as kappa,-seed; later keys decide between equals. A minus
// before a key makes its order descending. order returns the comparison of a key, or an error for an unknown one. The
// sort is stable.
func sortBy[T any](items []T, list string, order func(key string, descending bool) (func(a, b T) int, error)) error {
	keys := strings.Split(list, ",")
	slices.Reverse(keys) // the sort is stable, so the first key is applied last
	for _, key := range keys {
		name, descending := strings.CutPrefix(strings.TrimSpace(key), "-")
		compare, err := order(name, descending)
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, compare)
	}
	return nil
}

func unknownSortKeyError(key string, keys []string) error {
	return schema.Hint(fmt.Errorf("%w: cannot sort by %q", ErrFilter, key),
		"%s; a minus before a key sorts in descending order, and a second key after a comma orders equal rows",
		textfmt.DidYouMean(key, "keys", keys))
}

// SortKeys returns the keys in a list that [Sort] takes.
func SortKeys(list string) (keys []string) {
	if list == "" {
		return nil
	}
	for _, key := range strings.Split(list, ",") {
		keys = append(keys, MeasureName(strings.TrimPrefix(strings.TrimSpace(key), "-")))
	}
	return keys
}

// Sort sorts runs by a list of fields, such as kappa,-seed, descending where a key begins with a minus. Numbers are
// ordered as numbers, all else as text, and runs without a measure come last. The sort is stable. [LoadColumns] must
// have read what the keys need.
func Sort(runs []Run, list string) error {
	return sortBy(runs, list, func(key string, descending bool) (func(a, b Run) int, error) {
		name := MeasureName(key)
		measure := IsMeasureOf(runs, name)
		unknown := !IsKeyOf(runs, name) && (len(runs) > 0 || !declaredKey().MatchString(name))
		if unknown || slices.ContainsFunc(runs, func(r Run) bool { return !r.isLoaded(name) }) {
			return nil, unknownSortKeyError(key, KeysOf(runs))
		}
		return func(a, b Run) int {
			x, _ := a.Field(name)
			y, _ := b.Field(name)
			if measure && (x == "" || y == "") {
				return strings.Compare(y, x)
			}
			if descending {
				x, y = y, x
			}
			return compare(x, y)
		}, nil
	})
}

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
