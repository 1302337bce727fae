package web

import (
	"context"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

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

// loadColumns reads what the keys need, but no measures that are derived from many records of each run.
func (s *server) loadColumns(ctx context.Context, runs []report.Run, keys []string) error {
	keys = slices.DeleteFunc(keys, func(key string) bool { return report.IsExploration(key) || report.IsReturn(key) })
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
