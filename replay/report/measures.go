package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// source is where measures come from: their descriptions, a function that loads them for a run with iterations, whether
// they are loaded, and their values in the run's last iteration.
type source struct {
	infos    []schema.MeasureInfo
	load     func(tx *tracker.Tx, r *Run, name string) error
	isLoaded func(r *Run, name string) bool
	get      func(r *Run, name string) (*float64, bool)
}

// The sources of measures: the records of iterations, and values that are derived from them on demand. declared has no
// descriptions: external stages declare their measures in the specs of runs.
var (
	measured = source{schema.MeasureInfos(), loadRecorded,
		func(r *Run, _ string) bool { return r.Measures != nil },
		func(r *Run, name string) (*float64, bool) { return r.Measures.Get(name) }}
	exploration = source{explore.MeasureInfos(), loadExplorationOf,
		func(r *Run, name string) bool {
			return r.Exploration != nil && (r.Exploration.HasOptions || !explore.NeedsOptions(name))
		},
		func(r *Run, name string) (*float64, bool) { return r.Exploration.Get(name, r.Iterations-1) }}
	declared = source{nil, loadExternal,
		func(r *Run, _ string) bool { return r.ExternalMeasures != nil },
		func(r *Run, name string) (*float64, bool) { return r.ExternalMeasures[name], true }}
)

// LoadMeasures reads the k-th iteration's measures, and no other record.
func LoadMeasures(tx *tracker.Tx, id schema.Digest, k int) (schema.Measures, error) {
	it, err := tx.ReadIteration(id, k)
	if err != nil {
		return schema.Measures{}, err
	}
	return tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
}

// loadRecorded reads the recorded measures of the last iteration.
func loadRecorded(tx *tracker.Tx, r *Run, _ string) error {
	m, err := LoadMeasures(tx, r.ID, r.Iterations-1)
	if err != nil {
		return r.Failed(r.Iterations-1, err)
	}
	r.Measures = &m
	return nil
}

// MeasureNames returns the names of all measures: the recorded ones, then those of exploration, which are derived on
// demand.
func MeasureNames() []string { return names(func(c *column) bool { return c.from != nil }) }

// MeasureTitle returns the title of a measure and its unit, "" for a count or a share.
func MeasureTitle(name string) (title, unit string) {
	if c := columnsByName[name]; c != nil {
		return c.Title, c.Unit
	}
	return name, ""
}

// MeasureDigits returns the number of decimals in tables of a measure's means.
func MeasureDigits(name string) int {
	if c := columnsByName[name]; c == nil || c.IsShare {
		return 3
	}
	return 2
}

// CountsStates reports whether a measure counts states of the environment.
func CountsStates(name string) bool {
	c := columnsByName[name]
	return c != nil && c.IsOfStates
}

// MeasureRange returns the least and the largest number that a measure can be where a run can visit that many states,
// infinite if that is unknown.
func MeasureRange(name string, states float64) (low, high float64) {
	switch c := columnsByName[name]; {
	case c == nil || c.from == nil: // external
		return math.Inf(-1), math.Inf(1)
	case c.IsShare:
		return 0, 1
	case c.IsOfStates:
		return 0, states
	}
	return 0, math.Inf(1)
}

// MeasureName returns the name of the measure with that title, or the text itself if no measure has it.
func MeasureName(title string) string {
	i := slices.IndexFunc(columns, func(c column) bool { return c.from != nil && c.Title == title })
	if i < 0 {
		return title
	}
	return columns[i].Name
}

// IsMeasure reports whether a key names a built-in measure.
func IsMeasure(key string) bool { return sourceOf(key) != nil }

// IsExploration reports whether a key names a measure of exploration.
func IsExploration(key string) bool { return sourceOf(key) == &exploration }

// sourceOf returns the source of a built-in measure, nil for any other key.
func sourceOf(key string) *source {
	if c := columnsByName[key]; c != nil {
		return c.from
	}
	return nil
}

// sourceOf returns the source of one of the run's measures, nil for any other key.
func (r *Run) sourceOf(key string) *source {
	if columnsByName[key] == nil && r.hasExternal(key) {
		return &declared
	}
	return sourceOf(key)
}

// isMeasure reports whether a key names one of the run's measures.
func (r *Run) isMeasure(key string) bool { return r.sourceOf(key) != nil }

// Measure returns a measure of the last iteration, nil if it is undefined or was not loaded.
func (r *Run) Measure(name string) (value *float64) {
	if from := r.sourceOf(name); from != nil && from.isLoaded(r, name) {
		value, _ = from.get(r, name)
	}
	return value
}

// LoadExploration reads how a run explored. It reads the run's options, which must not be pruned then, only if one of
// the measures needs them. Without measures it reads everything.
func LoadExploration(view tracker.Viewer, run tracker.Run, measures ...string) (*explore.Summary, error) {
	read, needsOptions := explore.ReadRun, slices.ContainsFunc(measures, explore.NeedsOptions)
	if len(measures) > 0 && !needsOptions {
		read = explore.ReadVisits
	}
	x, err := read(view, run)
	if err == nil && needsOptions && x.Pruned != nil {
		x, err = nil, x.Pruned
	}
	return x, err
}

// loadExplorationOf reads the part of the run's exploration that a measure needs. It drops the first visits, which take
// too much memory for a list of runs.
func loadExplorationOf(tx *tracker.Tx, r *Run, measure string) error {
	x, err := LoadExploration(tx.View, r.Source, measure)
	if err == nil {
		x.First, r.Exploration = nil, x
	}
	return err
}

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
