package web

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// What stands for the revision of a store that cannot be read.
const (
	noStore    = "none"
	unreadable = "unreadable"
)

const (
	inspect = 2 * time.Second // how often to read while runs are at work: one that dies writes nothing
	settled = time.Second     // a file written to more lately may change once more under the same time
	maxRows = 1000            // runs that a sight remembers
)

// poller looks at a store again and again. It is for one goroutine.
type poller struct {
	store *tracker.Store
	seen  snapshot
	file  os.FileInfo // as it was read last, nil for not at all
	read  time.Time   // when it was
}

// poll says whether there is anything new. It reads the store where its file has
// changed, or might have.
func (l *poller) poll(ctx context.Context, now time.Time) bool {
	file, err := os.Stat(l.store.Path())
	switch {
	case err != nil:
		return l.lost(noStore)
	case !l.due(file, now):
		return false
	}
	seen, err := l.takeSnapshot(ctx)
	switch {
	case errors.Is(err, tracker.ErrLocked), ctx.Err() != nil:
		return false // and looks again
	case errors.Is(err, tracker.ErrNoStore):
		return l.lost(noStore)
	case err != nil:
		return l.lost(unreadable)
	}
	changed := seen.revision != l.seen.revision || !maps.Equal(seen.rows, l.seen.rows)
	l.seen, l.file, l.read = seen, file, now
	return changed
}

// due says whether the file may have changed since it was read, or a run at work
// may have died.
func (l *poller) due(file os.FileInfo, now time.Time) bool {
	if l.file == nil || !os.SameFile(file, l.file) || file.Size() != l.file.Size() || !file.ModTime().Equal(l.file.ModTime()) {
		return true
	}
	if l.read.Sub(l.file.ModTime()) < settled {
		return true
	}
	return now.Sub(l.read) >= inspect && l.seen.atWork()
}

// lost is a store that cannot be read, for a reason that a request will be told.
func (l *poller) lost(revision string) bool {
	changed := l.seen.revision != revision
	l.seen, l.file = snapshot{revision: revision, rows: map[schema.Digest]row{}}, nil
	return changed
}

func (s snapshot) atWork() bool {
	for _, r := range s.rows {
		if !r.ended {
			return true
		}
	}
	return false
}

// takeSnapshot reads the revision, the runs at work and those that were so before.
func (l *poller) takeSnapshot(ctx context.Context) (s snapshot, err error) {
	s.rows = map[schema.Digest]row{}
	err = l.store.View(ctx, func(tx *tracker.Tx) error {
		if s.revision, err = tx.Revision(); err != nil {
			return err
		}
		leased, err := tx.LeasedRuns()
		if err != nil {
			return err
		}
		for id, r := range l.seen.rows {
			if r.ended && len(l.seen.rows) < maxRows {
				s.rows[id] = r
			} else if !r.ended {
				leased = append(leased, id)
			}
		}
		return s.add(tx, leased)
	})
	return s, err
}

// add reads runs, of which some may be gone.
func (s *snapshot) add(tx *tracker.Tx, ids []schema.Digest) error {
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
		document, err := json.Marshal(run)
		if err != nil {
			return err
		}
		s.rows[id] = row{string(document), run.Status != tracker.Running}
	}
	return nil
}
