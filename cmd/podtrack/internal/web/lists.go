package web

import (
	"slices"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// lists keeps the runs that were listed last, for clients that page through them and
// ask for their fields. Only one request at a time reads a list; others that want it
// wait and share the result.
type lists struct {
	reading semaphore

	mu   sync.Mutex
	kept []*listing // the most recent one last
}

// listing is a selection of runs as one transaction saw them.
type listing struct {
	revision, key string
	runs          []report.Run // read-only, shared by requests
	of            *listing     // the list that this one sorts, nil if this one is newest first
	until         time.Time    // when it expires, zero for never
	fields        func() []field
}

// maxLists bounds how many lists are kept, maxKeptRuns the length of each of them.
const (
	maxLists    = 4
	maxKeptRuns = 20_000
)

// newLists returns a cache without lists.
func newLists() *lists { return &lists{reading: newSemaphore(1, heavyTurn)} }

// newListing returns a list of runs. If one of them is running, the list expires after
// a watcher's interval: a process that dies changes the run's status without writing to
// the store.
func newListing(revision, key string, runs []report.Run) *listing {
	l := &listing{revision: revision, key: key, runs: runs}
	l.fields = sync.OnceValue(func() []field { return fieldsOf(runs) })
	if slices.ContainsFunc(runs, func(r report.Run) bool { return r.Status == tracker.Running }) {
		l.until = time.Now().Add(inspect)
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
