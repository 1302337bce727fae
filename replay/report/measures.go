package report

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadMeasures reads the k-th iteration's measures, and no other record.
func LoadMeasures(tx *tracker.Tx, id schema.Digest, k int) (schema.Measures, error) {
	it, err := tx.ReadIteration(id, k)
	if err != nil {
		return schema.Measures{}, err
	}
	return first(tx, it, schema.KindMeasures, schema.DecodeMeasures)
}

// IsMeasure reports whether a key is that of a measure.
func IsMeasure(key string) bool {
	_, found := schema.Measures{}.Get(key)
	return found
}

// first reads the iteration's only record of a kind.
func first[T any](
	tx *tracker.Tx, it schema.Iteration, kind schema.Kind, decode func([]byte) (T, error),
) (v T, err error) {
	name, err := it.OnlyRecord(kind)
	if err != nil {
		return v, err
	}
	return tracker.Load(tx, name, decode)
}
