package schema_test

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is accepted, and one more is refused.
func TestLimits(t *testing.T) {
	observe := func(first uint64, n, dims int) error {
		record, err := schema.Observations{First: first, Kind: schema.Discrete, Dims: dims, Numbers: make([]uint32, n)}.Encode()
		if err == nil {
			_, err = schema.DecodeObservations(record)
		}
		return err
	}
	const most, dims = 2*schema.ChunkSteps + 1, schema.MaxRecordFeatures
	for _, limit := range []struct {
		name       string
		at, beyond error
	}{
		{"observations of a chunk", observe(0, most, 1), observe(0, most+1, 1)},
		{"the first observation", observe(1<<40, 1, 1), observe(1<<40+1, 1, 1)},
		{"features of an observation", observe(0, 1, dims), observe(0, 1, dims+1)},
		{"no features", observe(0, 1, 1), observe(0, 0, 0)},
	} {
		if limit.at != nil || limit.beyond == nil {
			t.Errorf("%s: at the limit %v, one beyond %v", limit.name, limit.at, limit.beyond)
		}
	}
}
