package watch

import (
	"context"
	"errors"
	"maps"
	"os"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Pseudo-revisions of a store that cannot be read.
const (
	noStore    = "none"
	unreadable = "unreadable"
)

const (
	Inspect = 2 * time.Second // how often to read while runs are at work: a process that dies writes nothing
	settled = time.Second     // a file modified more recently may change again with the same time stamp
	maxRows = 1000            // runs that a snapshot remembers
)

// poller looks at a store again and again. It must not be used by several goroutines at
// once.
type poller struct {
	store    *tracker.Store
	describe describer

	seen Snapshot
	file os.FileInfo // as of the last read, nil if it could not be read
	read time.Time   // the time of the last read
}

// poll reports whether the store has changed. It reads the store only if its file has
// changed, or may have.
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
	case ctx.Err() != nil:
		return false
	case errors.Is(err, tracker.ErrLocked):
		return l.locked(err) // the next poll tries again
	case errors.Is(err, tracker.ErrNoStore):
		return l.lost(noStore)
	case err != nil:
		return l.lost(unreadable)
	}
	changed := seen.Revision != l.seen.Revision || seen.Locked != l.seen.Locked || !maps.Equal(seen.Rows, l.seen.Rows)
	l.seen, l.file, l.read = seen, file, now
	return changed
}

// due reports whether the file may have changed since the last read, or whether it is
// time to check on unfinished runs, whose processes may have died.
func (l *poller) due(file os.FileInfo, now time.Time) bool {
	if l.file == nil || !os.SameFile(file, l.file) || file.Size() != l.file.Size() ||
		!file.ModTime().Equal(l.file.ModTime()) {
		return true
	}
	if l.read.Sub(l.file.ModTime()) < settled {
		return true
	}
	return now.Sub(l.read) >= Inspect && l.seen.atWork()
}

// locked notes who holds the lock of the store, and reports whether that is new. What was seen before stays.
func (l *poller) locked(err error) bool {
	now := reply.NewFailure(err)
	changed := now != l.seen.Locked
	l.seen.Locked, l.file = now, nil
	return changed
}

// lost notes that the store cannot be read, and reports whether that is new. A client
// learns the reason from its next request.
func (l *poller) lost(revision string) bool {
	changed := l.seen.Revision != revision
	l.seen, l.file = Snapshot{Revision: revision, Rows: map[schema.Digest]row{}}, nil
	return changed
}

// takeSnapshot reads the revision, the runs at work, and those that were at work in
// earlier snapshots.
func (l *poller) takeSnapshot(ctx context.Context) (s Snapshot, err error) {
	s.Rows = map[schema.Digest]row{}
	err = l.store.View(ctx, func(tx *tracker.Tx) error {
		if s.Revision, err = tx.Revision(); err != nil {
			return err
		}
		leased, err := tx.LeasedRuns()
		if err != nil {
			return err
		}
		for id, r := range l.seen.Rows {
			if r.ended && len(l.seen.Rows) < maxRows {
				s.Rows[id] = r
			} else if !r.ended {
				leased = append(leased, id)
			}
		}
		return s.add(tx, leased, l.describe(tx))
	})
	return s, err
}
