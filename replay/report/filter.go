package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// ErrFilter is the error of an invalid filter.
var ErrFilter = errors.New("invalid filter")

// Filter is a conjunction of terms, each of them key=value, with alternatives
// after commas and ranges of numbers: seed=0-29 reading=as-published tag=x.
type Filter []term

type term struct {
	key    string
	values []value
}

// IsTerm reports whether an argument is a term of a filter, not a reference.
func IsTerm(arg string) bool { return strings.Contains(arg, "=") }

// FilterKeys returns the keys of filters: facts of a run, fields of a spec, parameters of the
// environments.
func FilterKeys() []string {
	keys := slices.Clone(RunFields)
	for _, b := range pod.BuiltinEnvs() {
		env, err := pod.DefaultEnv(b.Name)
		if err != nil {
			continue
		}
		for _, f := range (schema.Spec{Env: env}).Fields() {
			if !slices.Contains(keys, f.Name) {
				keys = append(keys, f.Name)
			}
		}
	}
	return append(keys, schema.OptionalFields()...)
}

// ParseFilter parses terms.
func ParseFilter(args []string) (Filter, error) {
	var f Filter
	keys := FilterKeys()
	for _, arg := range args {
		if !utf8.ValidString(arg) { // no pattern can be made of it, and no run has it
			return nil, schema.Advise(fmt.Errorf("%w: %q is not UTF-8", ErrFilter, arg), AdvicePattern)
		}
		key, list, _ := strings.Cut(arg, "=")
		if !slices.Contains(keys, key) {
			return nil, schema.Hint(fmt.Errorf("%w: unknown key %q in %q", ErrFilter, key, arg), "%s",
				DidYouMean(key, "keys", keys))
		}
		t := term{key: key}
		for _, text := range strings.Split(list, ",") {
			v := parseValue(text)
			if v.ranged && compare(v.low, v.high) > 0 {
				return nil, schema.Hint(fmt.Errorf("%w: the range in %q is reversed", ErrFilter, arg),
					"write the smaller number first")
			}
			t.values = append(t.values, v)
		}
		f = append(f, t)
	}
	return f, nil
}

// Match reports whether the run passes every term.
func (f Filter) Match(r Run) bool {
	return !slices.ContainsFunc(f, func(t term) bool { return !t.match(r) })
}

func (t term) match(r Run) bool {
	switch t.key {
	case "run":
		return hasAnyPrefix(r.ID.String(), t.values)
	case "head":
		return r.Head != nil && hasAnyPrefix(r.Head.String(), t.values)
	case "data":
		return !r.Spec.Data.IsZero() && hasAnyPrefix(r.Spec.Data.String(), t.values)
	case "tag":
		return slices.ContainsFunc(r.Tags, func(tag string) bool { return t.matchesFact(tag) })
	}
	fact, ok := r.Field(t.key)
	return ok && t.matchesFact(fact)
}

// hasAnyPrefix reports whether a digest begins with one of the values.
func hasAnyPrefix(digest string, values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool {
		return v.text != "" && strings.HasPrefix(digest, strings.ToLower(v.text))
	})
}

// matchesFact reports whether one of the values matches the fact.
func (t term) matchesFact(fact string) bool {
	return slices.ContainsFunc(t.values, func(v value) bool { return v.fits(fact) })
}

// Sort orders runs by a field, descending where key begins with a minus:
// numbers as numbers, all else as text. The sort is stable.
func Sort(runs []Run, key string) error {
	name, descending := strings.CutPrefix(key, "-")
	if !slices.Contains(FilterKeys(), name) {
		return schema.Hint(fmt.Errorf("%w: cannot sort by %q", ErrFilter, name),
			"%s; a minus before a key sorts in descending order", DidYouMean(name, "keys", FilterKeys()))
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		x, _ := a.Field(name)
		y, _ := b.Field(name)
		if descending {
			x, y = y, x
		}
		return compare(x, y)
	})
	return nil
}
