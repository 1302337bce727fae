package report

import (
	"slices"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/returns"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadMeasures reads the k-th iteration's measures, and no other record.
func LoadMeasures(tx *tracker.Tx, id schema.Digest, k int) (schema.Measures, error) {
	it, err := tx.ReadIteration(id, k)
	if err != nil {
		return schema.Measures{}, err
	}
	return tracker.LoadOnly(tx, it, schema.KindMeasures, schema.DecodeMeasures)
}

// MeasureNames returns the names of all measures: the recorded ones, then those of exploration and of
// returns, which are derived on demand.
func MeasureNames() []string {
	return slices.Concat(schema.MeasureNames(), explore.MeasureNames(), returns.MeasureNames())
}

// MeasureTitle returns what people read as the name of a measure, and its unit, "" for a count or a
// share.
func MeasureTitle(name string) (title, unit string) {
	if title, unit, found := explore.MeasureTitle(name); found {
		return title, unit
	}
	if title, unit, found := returns.MeasureTitle(name); found {
		return title, unit
	}
	return schema.MeasureTitle(name)
}

// MeasureDigits returns how many decimals tables show of means of a measure.
func MeasureDigits(name string) int {
	if explore.IsShare(name) || IsReturn(name) || !IsMeasure(name) {
		return 3
	}
	return 2
}

// MeasureName returns the name of the measure with that title, or the text if it is no title.
func MeasureName(title string) string {
	for _, name := range MeasureNames() {
		if t, _ := MeasureTitle(name); t == title {
			return name
		}
	}
	return title
}

// IsMeasure reports whether a key is that of a measure.
func IsMeasure(key string) bool { return IsRecorded(key) || IsExploration(key) || IsReturn(key) }

// IsRecorded reports whether a key is that of a measure that iterations record.
func IsRecorded(key string) bool {
	_, found := schema.Measures{}.Get(key)
	return found
}

// IsExploration reports whether a key is that of a measure of exploration.
func IsExploration(key string) bool {
	_, _, found := explore.MeasureTitle(key)
	return found
}
