package watch

import (
	"encoding/json"
	"errors"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Snapshot is what listeners learn of a store at one moment.
type Snapshot struct {
	Revision string
	Locked   reply.Failure         // why the store could not be read since, the zero value if it could
	Rows     map[schema.Digest]row // runs that have been at work since the first listener joined
}

// row is a run as lists show it, in JSON.
type row struct {
	Document string
	ended    bool
}

// add reads runs into the snapshot and skips those that no longer exist.
func (s *Snapshot) add(tx *tracker.Tx, ids []schema.Digest, describe describer) error {
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
		shown, err := describe(tx, run)
		if err != nil {
			return err
		}
		document, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		s.Rows[id] = row{string(document), run.Status != tracker.Running}
	}
	return nil
}
