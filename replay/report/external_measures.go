package report

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadExternalMeasures reads the external measures of iteration k. It returns nil if there are none.
func LoadExternalMeasures(tx *tracker.Tx, id schema.Digest, k int) (schema.ExternalMeasures, error) {
	it, err := tx.ReadIteration(id, k)
	if err != nil {
		return nil, err
	}
	return externalMeasuresOf(tx, it)
}

// externalMeasuresOf reads the external measures of an iteration. It returns nil if there are none.
func externalMeasuresOf(tx *tracker.Tx, it schema.Iteration) (schema.ExternalMeasures, error) {
	if len(it.RecordsOf(schema.KindExternalMeasures)) == 0 {
		return nil, nil
	}
	return tracker.LoadOnly(tx, it, schema.KindExternalMeasures, schema.DecodeExternalMeasures)
}

// hasExternal reports whether a key names a measure of the run's external stage.
func (r *Run) hasExternal(key string) bool {
	return slices.Contains(r.Spec.ExternalMeasureNames(), key)
}

// IsMeasureOf reports whether a key names a built-in measure, or an external measure of one of the runs.
func IsMeasureOf(runs []Run, key string) bool {
	return IsMeasure(key) || slices.ContainsFunc(runs, func(r Run) bool { return r.hasExternal(key) })
}

// MayBeMeasure reports whether a key names a built-in measure or is a valid name of an external one.
func MayBeMeasure(key string) bool { return IsMeasure(key) || MayBeDeclared(key) }

// ExternalMeasureNames returns the names of the external measures of some runs, each once.
func ExternalMeasureNames(runs []Run) (names []string) {
	for _, r := range runs {
		for _, name := range r.Spec.ExternalMeasureNames() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// CheckMeasures returns an error if an external stage declares a measure with the name of a fact, a field or a built-in
// measure of runs, because a filter by that name would be ambiguous. It is for new runs: a run recorded before such a
// name existed stays valid.
func CheckMeasures(spec schema.Spec) error {
	without := spec
	without.SetStage(schema.MeasureStage, nil)
	for _, name := range spec.ExternalMeasureNames() {
		if _, field := without.Get(name); field || slices.Contains(FilterKeys(), name) {
			return schema.Hint(fmt.Errorf("%w: a stage declares the measure %s, which is a column of every run",
				schema.ErrSpec, name), "give the measure another name, such as my_%s", name)
		}
	}
	return nil
}

// loadExternal reads the external measures of the last iteration.
func loadExternal(tx *tracker.Tx, r *Run, _ string) (err error) {
	if r.ExternalMeasures, err = LoadExternalMeasures(tx, r.ID, r.Iterations-1); err != nil {
		return r.Failed(r.Iterations-1, err)
	}
	return nil
}
