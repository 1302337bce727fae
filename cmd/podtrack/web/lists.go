package web

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// lists keeps the runs that were listed last, for who goes through them page by
// page and asks what fields they have. A list is read by one request for all that
// want it.
type lists struct {
	reading semaphore

	mu   sync.Mutex
	kept []*listing // the last one at the end
}

// listing is some runs, as one transaction saw them.
type listing struct {
	revision, key string
	runs          []report.Run // not to be changed
	of            *listing     // the same in another order, nil where these are the newest first
	until         time.Time    // when it has to be read anew, zero for never
	fields        func() []field
}

// A list is kept while it has no more runs.
const (
	maxLists    = 4
	maxKeptRuns = 20_000
)

func newLists() *lists { return &lists{reading: newSemaphore(1, heavyTurn)} }

// newListing may have a run at work, which may cease to be while nobody writes a
// word. Then it holds for as long as a watcher goes without looking.
func newListing(revision, key string, runs []report.Run) *listing {
	l := &listing{revision: revision, key: key, runs: runs}
	l.fields = sync.OnceValue(func() []field { return fieldsOf(runs) })
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Status == tracker.Running }) {
		l.until = time.Now().Add(inspect)
	}
	return l
}

// selected are the runs that terms or references name, in an order.
func (s *server) selected(ctx context.Context, args []string, sort string) (*listing, error) {
	base, err := s.listed(ctx, args)
	if err != nil || sort == "" {
		return base, err
	}
	key := sort + "\x00" + base.key
	if l := s.lists.find(base.revision, key); l != nil && l.of == base {
		return l, nil
	}
	sorted := *base
	sorted.key, sorted.of, sorted.runs = key, base, slices.Clone(base.runs)
	if err := report.Sort(sorted.runs, sort); err != nil {
		return nil, err
	}
	s.lists.keep(&sorted)
	return &sorted, nil
}

// listed is what was listed before, or is read.
func (s *server) listed(ctx context.Context, args []string) (*listing, error) {
	if l, err := s.list(ctx, args, false); l != nil || err != nil {
		return l, err
	}
	if err := s.lists.reading.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.lists.reading.release()
	return s.list(ctx, args, true) // which who was here before may have read
}

// list is nil where there is none to be had without reading it.
func (s *server) list(ctx context.Context, args []string, read bool) (l *listing, err error) {
	key := strings.Join(args, "\x00")
	err = s.Store.View(ctx, func(tx *tracker.Tx) error {
		revision, err := tx.Revision()
		if err != nil {
			return err
		}
		if l = s.lists.find(revision, key); l != nil || !read {
			return nil
		}
		runs, err := report.Select(tx, args)
		if err == nil {
			l = newListing(revision, key, runs)
			s.lists.keep(l)
		}
		return err
	})
	return l, err
}

// find is what was listed of that revision.
func (l *lists) find(revision, key string) *listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, had := range l.kept {
		if had.revision == revision && had.key == key && (had.until.IsZero() || time.Now().Before(had.until)) {
			return had
		}
	}
	return nil
}

// keep forgets the lists of other revisions.
func (l *lists) keep(now *listing) {
	if len(now.runs) > maxKeptRuns {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(had *listing) bool { return had.revision != now.revision || had.key == now.key })
	l.kept = append(l.kept[max(0, len(l.kept)-maxLists+1):], now)
}
