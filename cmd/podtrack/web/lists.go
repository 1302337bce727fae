package web

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// lists keeps the runs that were listed last, for who goes through them page by
// page. The zero value keeps none.
type lists struct {
	mu   sync.Mutex
	kept []listing // the last one at the end
}

type listing struct {
	revision, key string
	runs          []report.Run
}

// A list is kept while it has no more runs.
const (
	maxLists    = 4
	maxKeptRuns = 20_000
)

// selected are the runs that terms or references name, in an order, and the
// revision of the store that they were read from.
func (s *server) selected(ctx context.Context, args []string, sort string) (revision string, runs []report.Run, err error) {
	key, found := strings.Join(append([]string{sort}, args...), "\x00"), false
	err = s.Store.View(ctx, func(tx *tracker.Tx) error {
		if revision, err = tx.Revision(); err != nil {
			return err
		}
		if runs, found = s.lists.find(revision, key); found {
			return nil
		}
		runs, err = report.Select(tx, args)
		return err
	})
	if err == nil && !found && sort != "" {
		err = report.Sort(runs, sort)
	}
	if err != nil {
		return "", nil, err
	}
	if !found {
		s.lists.keep(listing{revision, key, runs})
	}
	return revision, runs, nil
}

// find is what was listed of that revision, not to be changed.
func (l *lists) find(revision, key string) (runs []report.Run, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, had := range l.kept {
		if had.revision == revision && had.key == key {
			return had.runs, true
		}
	}
	return nil, false
}

// keep forgets the lists of other revisions. A run at work may cease to be while
// nobody writes a word, so a list with one is not kept.
func (l *lists) keep(now listing) {
	if len(now.runs) > maxKeptRuns || slices.ContainsFunc(now.runs, func(r report.Run) bool { return r.Status == tracker.Running }) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(had listing) bool { return had.revision != now.revision || had.key == now.key })
	l.kept = append(l.kept[max(0, len(l.kept)-maxLists+1):], now)
}
