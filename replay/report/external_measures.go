package report

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadExternalMeasures reads what an external stage measured in the k-th iteration, nil if the iteration has none.
func LoadExternalMeasures(tx *tracker.Tx, id schema.Digest, k int) (schema.ExternalMeasures, error) {
	it, err := tx.ReadIteration(id, k)
	if err != nil {
		return nil, err
	}
	return externalMeasuresOf(tx, it)
}

// externalMeasuresOf reads the external measures of an iteration, nil if it has none.
func externalMeasuresOf(tx *tracker.Tx, it schema.Iteration) (schema.ExternalMeasures, error) {
	if len(it.RecordsOf(schema.KindExternalMeasures)) == 0 {
		return nil, nil
	}
	return tracker.LoadOnly(tx, it, schema.KindExternalMeasures, schema.DecodeExternalMeasures)
}

// hasExternal reports whether a key is that of a measure of the run's external stage.
func (r *Run) hasExternal(key string) bool {
	return slices.Contains(r.Spec.ExternalMeasureNames(), key)
}

// IsMeasureOf reports whether a key is that of a measure that all runs have, or of an external one that some have.
func IsMeasureOf(runs []Run, key string) bool {
	return IsMeasure(key) || slices.ContainsFunc(runs, func(r Run) bool { return r.hasExternal(key) })
}

// MayBeMeasure reports whether a key is that of a measure, or may be that of an external one: only runs tell.
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

// CheckMeasures returns an error if an external stage declares a measure that has the name of a fact, a field or a
// measure of runs, so that nobody could tell which of them a filter means. A run that was recorded before there was
// that name keeps its stage.
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
