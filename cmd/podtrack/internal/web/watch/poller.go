package watch

import (
	"context"
	"errors"
	"maps"
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
	// Inspect is how often to read while runs are at work, even if the file has not changed.
	Inspect = 2 * time.Second

	maxRows = 1000 // runs that a snapshot remembers
)

// poller looks at a store again and again. It must not be used by several goroutines at
// once.
type poller struct {
	store    *tracker.Follower
	describe describer
	seen     Snapshot
}

// poll reports whether the store has changed. It reads the store only if its file has
// changed, or may have.
func (p *poller) poll(ctx context.Context) bool {
	maxAge := time.Duration(0)
	for _, r := range p.seen.Rows {
		if !r.ended {
			maxAge = Inspect
		}
	}
	var seen Snapshot
	read, err := p.store.Look(ctx, maxAge, func(tx *tracker.Tx) (err error) {
		seen, err = p.takeSnapshot(tx)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(err, tracker.ErrLocked):
		now := reply.NewFailure(err) // the last snapshot stays, and the next poll tries again
		changed := now != p.seen.Locked
		p.seen.Locked = now
		return changed
	case errors.Is(err, tracker.ErrNoStore):
		return p.lost(noStore)
	case err != nil:
		return p.lost(unreadable)
	case !read:
		return false
	}
	changed := seen.Revision != p.seen.Revision || seen.Locked != p.seen.Locked || !maps.Equal(seen.Rows, p.seen.Rows)
	p.seen = seen
	return changed
}

// lost notes that the store cannot be read, and reports whether that is new. A client
// learns the reason from its next request.
func (p *poller) lost(revision string) bool {
	changed := p.seen.Revision != revision
	p.seen = Snapshot{Revision: revision, Rows: map[schema.Digest]row{}}
	return changed
}

// takeSnapshot reads the revision, the runs at work, and those that were at work in
// earlier snapshots.
func (p *poller) takeSnapshot(tx *tracker.Tx) (s Snapshot, err error) {
	s.Rows = map[schema.Digest]row{}
	if s.Revision, err = tx.Revision(); err != nil {
		return s, err
	}
	leased, err := tx.LeasedRuns()
	if err != nil {
		return s, err
	}
	for id, r := range p.seen.Rows {
		if r.ended && len(p.seen.Rows) < maxRows {
			s.Rows[id] = r
		} else if !r.ended {
			leased = append(leased, id)
		}
	}
	return s, s.add(tx, leased, p.describe)
}
