package report

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// ErrFilter marks a filter that cannot be read.
var ErrFilter = errors.New("invalid filter")

// Filter is a conjunction of terms, each of them key=value, with alternatives
// after commas and ranges of numbers: seed=0-29 reading=as-published tag=x.
type Filter []term

type term struct {
	key    string
	values []string
}

// IsTerm reports whether an argument is a filter's term, not a reference.
func IsTerm(arg string) bool { return strings.Contains(arg, "=") }

// FilterKeys are the keys that a filter may use: facts of a run, fields of a
// spec, parameters of the environments.
func FilterKeys() []string {
	keys := slices.Clone(RunFields)
	for _, b := range pod.Builtins() {
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
	return keys
}

// ParseFilter reads terms.
func ParseFilter(args []string) (Filter, error) {
	var f Filter
	keys := FilterKeys()
	for _, arg := range args {
		key, list, _ := strings.Cut(arg, "=")
		if !slices.Contains(keys, key) {
			return nil, schema.Hint(fmt.Errorf("%w: unknown key %q in %q", ErrFilter, key, arg), "the keys are %s", strings.Join(keys, ", "))
		}
		values := strings.Split(list, ",")
		for _, v := range values {
			if low, high, ok := interval(v); ok && low > high {
				return nil, schema.Hint(fmt.Errorf("%w: the range in %q runs backwards", ErrFilter, arg), "write the smaller number first")
			}
			if _, err := path.Match(v, ""); err != nil {
				return nil, schema.Hint(fmt.Errorf("%w: bad pattern in %q", ErrFilter, arg), "* and ? stand for any text and any character; close every [")
			}
		}
		f = append(f, term{key, values})
	}
	return f, nil
}

// Match reports whether the run passes every term.
func (f Filter) Match(r Run) bool {
	return !slices.ContainsFunc(f, func(t term) bool { return !t.match(r) })
}

func (t term) match(r Run) bool {
	facts := r.Tags
	if t.key == "run" {
		return slices.ContainsFunc(t.values, func(v string) bool { return v != "" && strings.HasPrefix(r.ID.String(), v) })
	}
	if t.key != "tag" {
		fact, ok := r.Field(t.key)
		if !ok {
			return false
		}
		facts = []string{fact}
	}
	return slices.ContainsFunc(facts, func(fact string) bool {
		return slices.ContainsFunc(t.values, func(v string) bool { return matches(fact, v) })
	})
}

// matches compares as numbers where both are, else as text with * and ?.
func matches(fact, value string) bool {
	x, err := strconv.ParseFloat(fact, 64)
	if err == nil {
		if y, err := strconv.ParseFloat(value, 64); err == nil {
			return x == y
		}
		if low, high, ok := interval(value); ok {
			return low <= x && x <= high
		}
	}
	ok, err := path.Match(value, fact)
	return ok && err == nil
}

// interval reads low-high. A number such as 1e-9 is none.
func interval(s string) (low, high float64, ok bool) {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return 0, 0, false
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '-' {
			continue
		}
		low, err1 := strconv.ParseFloat(s[:i], 64)
		high, err2 := strconv.ParseFloat(s[i+1:], 64)
		if err1 == nil && err2 == nil {
			return low, high, true
		}
	}
	return 0, 0, false
}

// Sort orders runs by a field, descending where key begins with a minus:
// numbers as numbers, all else as text. The sort is stable.
func Sort(runs []Run, key string) error {
	name, descending := strings.CutPrefix(key, "-")
	if !slices.Contains(FilterKeys(), name) {
		return schema.Hint(fmt.Errorf("%w: cannot sort by %q", ErrFilter, name), "the keys are %s; a minus before one sorts downwards", strings.Join(FilterKeys(), ", "))
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

func compare(a, b string) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	switch {
	case err1 != nil || err2 != nil:
		return strings.Compare(a, b)
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
