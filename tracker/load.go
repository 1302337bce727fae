package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Load reads a record and decodes it.
func Load[T any](t *Tx, name schema.Digest, decode func([]byte) (T, error)) (v T, err error) {
	record, err := t.Record(name)
	if err != nil {
		return v, err
	}
	if v, err = decode(record); err != nil {
		return v, fmt.Errorf("record %s: %w", name, err)
	}
	return v, nil
}
