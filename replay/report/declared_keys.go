package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// declaredKey is the form of the parameters that programs declare.
var declaredKey = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// MayBeDeclared reports whether a word that is none of [FilterKeys] may be a parameter that a program
// declares. Only the runs of a store tell whether it is.
func MayBeDeclared(key string) bool {
	return declaredKey.MatchString(key) && !slices.Contains(FilterKeys(), key)
}

// DeclaredKeys returns the parameters of environments and stages of other programs, and the measures of such stages,
// that are no [FilterKeys] anyway, in alphabetical order. It reads the rows of all runs.
func DeclaredKeys(tx *tracker.Tx) ([]string, error) {
	keys := map[string]bool{}
	for run, err := range tx.Runs() {
		if err != nil {
			return nil, err
		}
		for _, name := range run.Spec.Env.Parameters() {
			keys[name] = true
		}
		for _, f := range run.Spec.StageParameters() {
			keys[f.Name] = true
		}
		for _, name := range run.Spec.ExternalMeasureNames() {
			keys[name] = true
		}
	}
	for _, key := range FilterKeys() {
		delete(keys, key)
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

// checkDeclared returns an error for a term whose key is neither one of [FilterKeys] nor a parameter that a
// program of some run declares.
func (f Filter) checkDeclared(tx *tracker.Tx) error {
	var declared []string
	for _, t := range f {
		if !MayBeDeclared(t.key) {
			continue
		}
		if declared == nil {
			var err error
			if declared, err = DeclaredKeys(tx); err != nil {
				return err
			}
		}
		if !slices.Contains(declared, t.key) {
			return unknownKeyError(t.key, t.text, append(FilterKeys(), declared...))
		}
	}
	return nil
}

func unknownKeyError(key, arg string, keys []string) error {
	err := fmt.Errorf("%w: unknown key %q in %q", ErrFilter, key, arg)
	return schema.Hint(err, "%s", textform.DidYouMean(key, "keys", keys))
}

// IsKeyOf reports whether a word is one of [FilterKeys], or a field of the spec or a measure of one of the runs.
func IsKeyOf(runs []Run, key string) bool {
	return slices.Contains(FilterKeys(), key) || IsMeasureOf(runs, key) ||
		slices.ContainsFunc(runs, func(r Run) bool { _, has := r.Spec.Get(key); return has })
}

// KeysOf returns [FilterKeys], the parameters of the environments of the runs, and their external measures.
func KeysOf(runs []Run) []string {
	keys := FilterKeys()
	for _, name := range append(SpecFields(runs), ExternalMeasureNames(runs)...) {
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	return keys
}

// CheckParameters returns an error if a program declares a parameter that has the name of a fact or a
// measure of runs, so that nobody could tell which of the two a filter, or a column, means. A run that was
// recorded before there was that name keeps its environment.
func CheckParameters(env schema.Env) error {
	if env.External == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(env.Text)) {
		if slices.Contains(RunFields, name) || IsMeasure(name) {
			return schema.Hint(fmt.Errorf("%w: environment %q declares the parameter %q, which is a column of every run",
				schema.ErrSpec, env.Name, name), "give the parameter another name, such as env_%s", name)
		}
	}
	return nil
}
