package web

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// snapshot is the state of a store at one moment, as far as listeners are told.
type snapshot struct {
	revision string
	locked   failure               // why the store could not be read since, the zero value if it could
	rows     map[schema.Digest]row // runs that have been at work since the first listener joined
}

// row is a run as lists show it, in JSON.
type row struct {
	document string
	ended    bool
}

// atWork reports whether any run has not ended.
func (s snapshot) atWork() bool {
	for _, r := range s.rows {
		if !r.ended {
			return true
		}
	}
	return false
}

// add reads runs into the snapshot and skips those that no longer exist.
func (s *snapshot) add(tx *tracker.Tx, ids []schema.Digest) error {
	pacer := report.NewPacer(tx, time.Now())
	for _, id := range ids {
		source, err := tx.ReadRun(id)
		if errors.Is(err, tracker.ErrMissing) {
			continue
		}
		if err != nil {
			return err
		}
		run, err := report.Summarise(tx, source)
		if err != nil {
			return err
		}
		shown, err := readRow(tx, pacer, run)
		if err != nil {
			return err
		}
		document, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		s.rows[id] = row{string(document), run.Status != tracker.Running}
	}
	return nil
}
