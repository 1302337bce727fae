package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Load reads a record and decodes it.
func Load[T any](t *Tx, name schema.Digest, decode func([]byte) (T, error)) (v T, err error) {
	record, err := t.ReadRecord(name)
	if err != nil {
		return v, err
	}
	if err := checkDecoded(record); err != nil {
		return v, fmt.Errorf("record %s: %w", name, err)
	}
	if v, err = decode(record); err != nil {
		return v, fmt.Errorf("record %s: %w", name, err)
	}
	return v, nil
}

// LoadOnly reads and decodes an iteration's only record of a kind.
func LoadOnly[T any](
	t *Tx, it schema.Iteration, kind schema.Kind, decode func([]byte) (T, error),
) (v T, err error) {
	name, err := it.OnlyRecord(kind)
	if err != nil {
		return v, err
	}
	return Load(t, name, decode)
}

// checkDecoded checks that there is memory for the decoded form of a record: as much as its bytes,
// and more for kinds that pack bits.
func checkDecoded(record []byte) error {
	if len(record) < 1<<20 {
		return nil
	}
	kind, err := schema.ReadKind(record)
	if err != nil {
		return err
	}
	switch need := int64(len(record)); kind {
	case schema.KindOption, schema.KindObservations:
		return memory.Check(8 * need)
	default:
		return memory.Check(need)
	}
}
