package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// lists keeps the runs that were listed last, for clients that page through them and
// ask for their fields. Only one request at a time reads a list; others that want it
// wait and share the result.
type lists struct {
	reading places

	mu   sync.Mutex
	kept []*listing // the most recent one last
}

// listing is a selection of runs as one transaction saw them.
type listing struct {
	revision, key string
	runs          []report.Run // read-only, shared by requests
	of            *listing     // the list that this one sorts, nil if this one is newest first
	until         time.Time    // when it expires, zero for never
}

// maxLists bounds how many lists are kept, maxKeptRuns the length of each of them.
const (
	maxLists    = 4
	maxKeptRuns = 20_000
)

// newLists returns a cache without lists.
func newLists() *lists { return &lists{reading: newPlaces(1, heavyTurn)} }

// newListing returns a list of runs. If one of them is running, the list expires after
// a watcher's interval: a process that dies changes the run's status without writing to
// the store.
func newListing(revision, key string, runs []report.Run) *listing {
	l := &listing{revision: revision, key: key, runs: runs}
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Status == tracker.Running }) {
		l.until = time.Now().Add(watch.Inspect)
	}
	return l
}

// find returns the cached list of that revision, nil if there is none.
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

// keep adds a list to the cache and drops those of other revisions.
func (l *lists) keep(now *listing) {
	if len(now.runs) > maxKeptRuns {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept,
		func(had *listing) bool { return had.revision != now.revision || had.key == now.key })
	l.kept = append(l.kept[max(0, len(l.kept)-maxLists+1):], now)
}

// selected returns the runs that terms or references select, in the given order.
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
	if err := s.loadColumns(ctx, sorted.runs, report.SortKeys(sort)); err != nil {
		return nil, err
	}
	if err := report.Sort(sorted.runs, sort); err != nil {
		return nil, err
	}
	s.lists.keep(&sorted)
	return &sorted, nil
}

// loadColumns reads what the keys need. It returns an error for a measure that takes many records of each run.
func (s *server) loadColumns(ctx context.Context, runs []report.Run, keys []string) error {
	for _, key := range keys {
		if report.IsExploration(key) {
			return schema.Hint(reply.Errorf(http.StatusBadRequest, "cannot sort by %q: it takes all steps of each run", key),
				"podtrack ls --sort %s does; recorded measures such as states_visited can be sorted by here", key)
		}
	}
	return s.Store.View(ctx, func(tx *tracker.Tx) error { return report.LoadColumns(tx, runs, keys) })
}

// listed returns a list from the cache, or reads it.
func (s *server) listed(ctx context.Context, args []string) (*listing, error) {
	if l, err := s.list(ctx, args, false); l != nil || err != nil {
		return l, err
	}
	if err := s.lists.reading.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.lists.reading.release()
	return s.list(ctx, args, true) // looks into the cache first: another request may have read the list
}

// list returns a list from the cache. If it is not there, list reads it if read is
// true, and returns nil otherwise.
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

// named returns runs by reference.
func (s *server) named(r *request, refs ...string) (runs []report.Run, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		for _, ref := range refs {
			run, err := report.LoadRun(tx, ref)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}
