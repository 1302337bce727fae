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
func (p *poller) poll(ctx context.Context, now time.Time) bool {
	file, err := os.Stat(p.store.Path())
	switch {
	case err != nil:
		return p.lost(noStore)
	case !p.due(file, now):
		return false
	}
	seen, err := p.takeSnapshot(ctx)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(err, tracker.ErrLocked):
		return p.locked(err) // the next poll tries again
	case errors.Is(err, tracker.ErrNoStore):
		return p.lost(noStore)
	case err != nil:
		return p.lost(unreadable)
	}
	changed := seen.Revision != p.seen.Revision || seen.Locked != p.seen.Locked || !maps.Equal(seen.Rows, p.seen.Rows)
	p.seen, p.file, p.read = seen, file, now
	return changed
}

// due reports whether the file may have changed since the last read, or whether it is
// time to check on unfinished runs, whose processes may have died.
func (p *poller) due(file os.FileInfo, now time.Time) bool {
	if p.file == nil || !os.SameFile(file, p.file) || file.Size() != p.file.Size() ||
		!file.ModTime().Equal(p.file.ModTime()) {
		return true
	}
	if p.read.Sub(p.file.ModTime()) < settled {
		return true
	}
	return now.Sub(p.read) >= Inspect && p.seen.atWork()
}

// locked notes the error of a locked store, and reports whether it is new. The last snapshot stays.
func (p *poller) locked(err error) bool {
	now := reply.NewFailure(err)
	changed := now != p.seen.Locked
	p.seen.Locked, p.file = now, nil
	return changed
}

// lost notes that the store cannot be read, and reports whether that is new. A client
// learns the reason from its next request.
func (p *poller) lost(revision string) bool {
	changed := p.seen.Revision != revision
	p.seen, p.file = Snapshot{Revision: revision, Rows: map[schema.Digest]row{}}, nil
	return changed
}

// takeSnapshot reads the revision, the runs at work, and those that were at work in
// earlier snapshots.
func (p *poller) takeSnapshot(ctx context.Context) (s Snapshot, err error) {
	s.Rows = map[schema.Digest]row{}
	err = p.store.View(ctx, func(tx *tracker.Tx) error {
		if s.Revision, err = tx.Revision(); err != nil {
			return err
		}
		leased, err := tx.LeasedRuns()
		if err != nil {
			return err
		}
		for id, r := range p.seen.Rows {
			if r.ended && len(p.seen.Rows) < maxRows {
				s.Rows[id] = r
			} else if !r.ended {
				leased = append(leased, id)
			}
		}
		return s.add(tx, leased, p.describe(tx))
	})
	return s, err
}
