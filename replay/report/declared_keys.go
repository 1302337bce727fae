package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// declaredKey matches the names that programs may declare for parameters.
var declaredKey = textfmt.Pattern(`^[a-z][a-z0-9_-]*$`)

// MayBeDeclared reports whether a word that is not one of [FilterKeys] has the form of a parameter that a program can
// declare. Whether one does can be seen only from the runs of a store.
func MayBeDeclared(key string) bool {
	return declaredKey().MatchString(key) && !slices.Contains(FilterKeys(), key)
}

// unlistedKeys returns the keys that are not in [FilterKeys], in alphabetical order.
func unlistedKeys(kinds map[string]schema.ValueKind) []string {
	kinds = maps.Clone(kinds)
	for _, key := range FilterKeys() {
		delete(kinds, key)
	}
	return slices.Sorted(maps.Keys(kinds))
}

// declaredKinds returns the kinds of the parameters of all runs and studies, and of the measures that programs declare.
// A parameter is a text if some program declares it as one. It reads the rows of all runs, and all studies.
func declaredKinds(tx *tracker.Tx) (map[string]schema.ValueKind, error) {
	kinds := map[string]schema.ValueKind{}
	add := func(spec schema.Spec) {
		for name := range spec.Env.Params {
			kinds[name] = cmp.Or(kinds[name], schema.Integer)
		}
		for _, name := range spec.ExternalMeasureNames() {
			kinds[name] = cmp.Or(kinds[name], schema.Number)
		}
		for name := range spec.Env.Text {
			kinds[name] = schema.Text
		}
		for _, f := range spec.StageParameters() {
			kinds[f.Name] = schema.Text
		}
	}
	for run, err := range tx.Runs() {
		if err != nil {
			return nil, err
		}
		add(run.Spec)
	}
	studies, _ := tx.Studies() // a damaged study must not make filters unusable
	for _, plan := range studies {
		for _, spec := range plan.Specs {
			add(spec)
		}
	}
	return kinds, nil
}

// CheckDeclared returns an error for a term whose key is neither one of [FilterKeys] nor a parameter that a
// program of some run declares, or whose value is a text where all runs have numbers.
func (f Filter) CheckDeclared(tx *tracker.Tx) error {
	var kinds map[string]schema.ValueKind
	for _, t := range f {
		if t.holds.Kind != parameterKind || !MayBeDeclared(t.key) && !slices.ContainsFunc(t.values, value.isText) {
			continue
		}
		if kinds == nil {
			var err error
			if kinds, err = declaredKinds(tx); err != nil {
				return err
			}
		}
		if kinds[t.key] == "" && MayBeDeclared(t.key) {
			return unknownKeyError(t.key, t.text, append(FilterKeys(), unlistedKeys(kinds)...))
		}
		if err := t.checkTexts(kinds[t.key]); err != nil {
			return err
		}
	}
	return nil
}

// isText reports whether a value of a parameter is not a number.
func (v value) isText() bool { return !v.isNumber && !v.ranged && v.text != "" && v.text != "*" }

// checkTexts returns an error for a value that no run can have, since the parameter is a number in all of them.
func (t term) checkTexts(kind schema.ValueKind) error {
	if kind == schema.Text || kind == "" && isTextOfEnv(t.key) {
		return nil
	}
	if t.operator == contains {
		t.holds.Kind = schema.Number
		return t.checkOperator()
	}
	for _, v := range t.values {
		if _, quotedNumber := parseFigure(v.text); v.isText() && !quotedNumber {
			return t.wrongValue(v.text)
		}
	}
	return nil
}

// isTextOfEnv reports whether an environment of this program has a text of that name.
func isTextOfEnv(key string) bool {
	return slices.ContainsFunc(envs.RegisteredEnvs(), func(e envs.RegisteredEnv) bool {
		return slices.ContainsFunc(e.TextParameters, func(p envs.TextParameter) bool { return p.Name == key })
	})
}

// isNumberOfEnv reports whether an environment of this program has a number of that name.
func isNumberOfEnv(key string) bool {
	return slices.ContainsFunc(envs.RegisteredEnvs(), func(e envs.RegisteredEnv) bool {
		return slices.ContainsFunc(e.Parameters, func(p envs.Parameter) bool { return p.Name == key })
	})
}

func unknownKeyError(key, arg string, keys []string) error {
	err := fmt.Errorf("%w: unknown key %q in %q", ErrFilter, key, arg)
	return schema.Hint(err, "%s", textfmt.DidYouMean(key, "keys", keys))
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

// CheckParameters returns an error if an environment has a parameter with the name of a fact or a measure of runs: a
// filter or a column of that name would be ambiguous. Runs that were recorded before the fact had that name stay valid.
func CheckParameters(env schema.Env) error {
	for _, name := range env.Parameters() {
		if slices.Contains(RunFields, name) || IsMeasure(name) {
			return schema.Hint(fmt.Errorf("%w: environment %q declares the parameter %q, which is a column of every run",
				schema.ErrSpec, env.Name, name), "give the parameter another name, such as env_%s", name)
		}
	}
	return nil
}
