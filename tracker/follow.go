package tracker

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/podtrack/podtrack/tracker/rows"
)

const (
	lookShare = 20          // at most 1/lookShare of the time is spent on reading the store
	settled   = time.Second // a file modified more recently may change again with the same time stamp
)

// A Follower reads a store again whenever it has changed. A look at an unchanged store does not open it, so that
// writers do not wait: it asks the system about the file, and whether the processes that were at work still are. A
// Follower is for one goroutine.
type Follower struct {
	store    *Store
	file     os.FileInfo   // as of the last look that opened it, nil to open it in any case
	opened   time.Time     // when that was
	revision string        // as of the last read, "" to read in any case
	read     time.Time     // when that was
	took     time.Duration // how long it took
	leases   []Lease       // those that were live then
}

// Follow returns a Follower of the store, whose first look reads.
func (s *Store) Follow() *Follower { return &Follower{store: s} }

// Look runs fn in a reading transaction if the store has changed since fn last returned nil, and reports whether it
// did. A process that worked on a run and ended without a trace is a change. What has been read also becomes out of
// date after maxAge, unless that is 0.
func (f *Follower) Look(ctx context.Context, maxAge time.Duration, fn func(*Tx) error) (read bool, err error) {
	if err := f.store.checkPath(); err != nil {
		return false, err
	}
	now := f.store.Now()
	file, err := os.Stat(f.store.path)
	if err != nil {
		f.forget()
		return false, f.store.pathError(err)
	}
	outdated := maxAge > 0 && now.Sub(f.read) >= maxAge || f.hasDead(now)
	if !outdated && !f.mayDiffer(file) {
		return false, nil
	}
	revision := ""
	err = f.store.View(ctx, func(tx *Tx) (err error) {
		if revision, err = tx.Revision(); err != nil || revision == f.revision && !outdated {
			return err
		}
		begin := time.Now()
		read = true
		if f.leases, err = tx.LiveLeases(); err == nil {
			err = fn(tx)
		}
		f.took = time.Since(begin)
		return err
	})
	if err != nil {
		f.forget()
		return false, err
	}
	f.file, f.opened = file, now
	if read {
		f.revision, f.read = revision, now
	}
	return read, nil
}

func (f *Follower) forget() { f.file, f.revision = nil, "" }

// mayDiffer reports whether the file may be another, or have other contents, than when it was opened last.
func (f *Follower) mayDiffer(file os.FileInfo) bool {
	return f.file == nil || !os.SameFile(file, f.file) || file.Size() != f.file.Size() ||
		!file.ModTime().Equal(f.file.ModTime()) || f.opened.Sub(f.file.ModTime()) < settled
}

// hasDead reports whether a process that was at work is no longer.
func (f *Follower) hasDead(now time.Time) bool {
	return slices.ContainsFunc(f.leases, func(l Lease) bool { return !l.IsAlive(now, f.store.opts.LeaseAfter) })
}

// Wait returns nil when it is time for the next look, and before that the error of a context that ends.
func (f *Follower) Wait(ctx context.Context) error {
	timer := time.NewTimer(max(f.store.opts.LookEvery, lookShare*f.took))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// LiveLeases returns the leases of all runs that a living process works on.
func (t *Tx) LiveLeases() (live []Lease, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketLeases, nil) {
		l, err := rows.DecodeRow[Lease](rows.BucketLeases, key, row)
		if err != nil {
			return nil, err
		}
		if t.isAlive(l) {
			live = append(live, l)
		}
	}
	return live, nil
}
