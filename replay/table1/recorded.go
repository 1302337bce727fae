package table1

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// CountRecorded returns the number of seeds, from 0 on, for which a store has the whole table: the
// run of every setting, up to the last column. It is the largest argument of [Measure].
func CountRecorded(tx *tracker.Tx) (int, error) {
	for seeds := 0; ; seeds++ {
		for _, reading := range schema.Readings() {
			for _, o := range Observabilities {
				there, err := isRecorded(tx, reading, o, seeds)
				if err != nil || !there {
					return seeds, err
				}
			}
		}
	}
}

func isRecorded(tx *tracker.Tx, reading string, o Observability, seed int) (bool, error) {
	spec, err := settingSpec(reading, o, seed)
	if err != nil {
		return false, err
	}
	id, err := schema.RunID(spec, nil)
	if err != nil {
		return false, err
	}
	if _, err := tx.ReadRun(id); err != nil {
		if errors.Is(err, tracker.ErrMissing) {
			err = nil
		}
		return false, err
	}
	done, _, err := tx.ReadHead(id)
	return done >= Columns, err
}
