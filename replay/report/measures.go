package report

import (
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
	if c := findColumn(name); c != nil {
		return c.Title, c.Unit
	}
	return name, ""
}

// MeasureDigits returns the number of decimals in tables of a measure's means.
func MeasureDigits(name string) int {
	if c := findColumn(name); c == nil || c.IsShare {
		return 3
	}
	return 2
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

// IsRecorded reports whether a key names a measure that iterations record.
func IsRecorded(key string) bool { return sourceOf(key) == &measured }

// IsExploration reports whether a key names a measure of exploration.
func IsExploration(key string) bool { return sourceOf(key) == &exploration }

// sourceOf returns the source of a built-in measure, nil for any other key.
func sourceOf(key string) *source {
	if c := findColumn(key); c != nil {
		return c.from
	}
	return nil
}

// sourceOf returns the source of one of the run's measures, nil for any other key.
func (r *Run) sourceOf(key string) *source {
	if findColumn(key) == nil && r.hasExternal(key) {
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
