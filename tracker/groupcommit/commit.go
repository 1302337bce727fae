package groupcommit

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A commitUnit is what one commit writes for one run. It is a snapshot, since the run continues.
type commitUnit struct {
	r          *RunWriter
	records    map[schema.Digest][]byte // staged ones that the unit's rows name
	first      int                      // number of the first of done, or of the current iteration
	done       []tracker.FinishedIteration
	checkpoint *tracker.Checkpoint
	session    *tracker.Session
	number     int // of the session in the store
	ending     *ending
	sealed     int64
	heartbeat  time.Time
	lease      tracker.Lease // as read by check
	file       os.FileInfo
	err        error // why this run cannot be written; other runs can
}

// commit writes all sealed work in one transaction. It returns the functions to call when the commit slot is
// free again.
//
// Only records that a row of the same transaction names are written, so that no other process can remove them
// as unused. Each run is checked before it is written, so that an error of one run does not affect the others.
func (w *Writer) commit(ctx context.Context) (acknowledge []func(), err error) {
	units, err := w.collect()
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return w.applyCommit(nil, nil), nil // of runs whose lease could not be taken
	}
	fault.At("commit.before")
	err = w.store.Update(ctx, func(tx *tracker.Tx) error {
		for _, u := range units {
			if u.err = u.check(tx); u.err != nil {
				continue
			}
			if err := u.apply(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if isRetryable(err) {
		return nil, err
	}
	fault.At("commit.after")
	return w.applyCommit(units, err), err
}

// collect takes a snapshot of each run that has something to commit. It includes heartbeats well before they
// are due, and excludes runs whose lease is not on the disk yet.
func (w *Writer) collect() ([]*commitUnit, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	now := w.store.Now()
	var units []*commitUnit
	for _, r := range w.runs {
		if r.isClaimed() && (r.isDirty() || now.Sub(r.heartbeat) >= w.opts.Heartbeat/2) {
			units = append(units, r.newCommitUnit(now))
		}
	}
	return units, nil
}

// newCommitUnit returns a snapshot of the run's work to commit. Callers hold w.mu.
func (r *RunWriter) newCommitUnit(now time.Time) *commitUnit {
	u := &commitUnit{
		r: r, records: map[schema.Digest][]byte{}, first: r.next - len(r.done), done: slices.Clone(r.done),
		checkpoint: r.checkpoint, session: r.pendingSession, number: r.sessionNo, ending: r.ending,
		sealed: r.sealed, heartbeat: now,
	}
	for _, e := range u.entries() {
		if stored, ok := r.staged[e.Name]; ok {
			u.records[e.Name] = stored
		}
	}
	return u
}

// entries yields the records that the unit's rows name, in order, with repetitions and the iterations that name them.
func (c *commitUnit) entries() iter.Seq2[int, schema.Entry] {
	named := c.done
	if c.checkpoint != nil {
		current := schema.Iteration{Records: c.checkpoint.Records}
		named = append(slices.Clip(named), tracker.FinishedIteration{K: c.end(), Iteration: current})
	}
	return func(yield func(int, schema.Entry) bool) {
		for _, f := range named {
			for _, e := range f.Records {
				if !yield(f.K, e) {
					return
				}
			}
		}
	}
}

// end returns the number of the run's iterations after the commit.
func (c *commitUnit) end() int { return c.first + len(c.done) }

// check verifies that this process still holds the run, that the run has not changed since its last commit, and
// that every record that its rows name exists or is part of this commit.
func (c *commitUnit) check(tx *tracker.Tx) error {
	id := c.r.run.ID
	lease, err := tx.ReadLease(id)
	if err != nil {
		return err
	}
	if c.file, err = tx.Stat(); err != nil {
		return err
	}
	if lost := lease == nil || lease.Token != c.r.token; lost && !os.SameFile(c.file, c.r.file) {
		return schema.Hint(fmt.Errorf("run %.7s: %w", id, replacedError{c.r.w.store.Path()}),
			"another file has that name now, and this process does not hold the run in it; rerun the command "+
				"to continue from the state in that file")
	} else if lost {
		return schema.Hint(fmt.Errorf("run %.7s: %w", id, tracker.ErrLeaseLost),
			"this process sent no heartbeat for too long; another process continues the run or removed it, and "+
				"nothing more is written from here")
	}
	c.lease = *lease
	done, _, err := tx.ReadHead(id)
	if err != nil {
		return err
	}
	if done != c.first {
		return fmt.Errorf("run %.7s: %w: it has %d iterations, expected %d", id, tracker.ErrLeaseLost, done, c.first)
	}
	for _, e := range c.entries() {
		if _, staged := c.records[e.Name]; !staged && !tx.Rows().HasRecord(e.Name) {
			return fmt.Errorf("run %.7s: record %s: %w", id, e.Name, tracker.ErrMissing)
		}
	}
	return nil
}

// apply writes the unit, referents before references.
func (c *commitUnit) apply(tx *tracker.Tx) error {
	steps := []func(*tracker.Tx) error{c.putRecords, c.putIterations, c.putCheckpoint, c.putSession, c.putLease}
	for _, step := range steps {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

func (c *commitUnit) putIterations(tx *tracker.Tx) error {
	for _, f := range c.done {
		if err := tx.Rows().PutIterationRow(c.r.run.ID, f.K, f.Iteration); err != nil {
			return err
		}
		if err := rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(c.r.run.ID, f.K), f.Cost); err != nil {
			return err
		}
	}
	if c.end() <= c.r.target {
		return nil
	}
	// A run without end has no other target than the number of its iterations.
	return tx.UpdateAnnotation(c.r.run.ID, func(a *tracker.Annotation) { a.Target = max(a.Target, c.end()) })
}

func (c *commitUnit) putCheckpoint(tx *tracker.Tx) error {
	switch {
	case c.checkpoint != nil:
		return rows.Write(tx.Rows(), rows.BucketCheckpoints, c.r.run.ID[:], *c.checkpoint)
	case len(c.done) > 0:
		return tx.Rows().Remove(rows.BucketCheckpoints, c.r.run.ID[:])
	}
	return nil
}

func (c *commitUnit) putSession(tx *tracker.Tx) error {
	if c.session == nil {
		return nil
	}
	return tx.PutSession(c.r.run.ID, c.number, *c.session)
}

func (c *commitUnit) putLease(tx *tracker.Tx) error {
	if c.ending == nil {
		c.lease.Beat = c.heartbeat.UnixNano()
		return rows.Write(tx.Rows(), rows.BucketLeases, c.r.run.ID[:], c.lease)
	}
	err := tx.UpdateAnnotation(c.r.run.ID, func(a *tracker.Annotation) { a.Open = a.Open && !c.ending.closes })
	if err == nil && c.ending.failure != "" {
		err = tx.SetFailure(c.r.run.ID, c.ending.failure)
	}
	if err != nil {
		return err
	}
	return tx.Rows().Remove(rows.BucketLeases, c.r.run.ID[:])
}

// applyCommit updates the runs after a commit, or ends them if err is not nil.
func (w *Writer) applyCommit(units []*commitUnit, err error) (acknowledge []func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = w.store.Now()
	for _, u := range units {
		if u.err != nil {
			u.r.abandon(u.err)
		} else if err == nil {
			u.r.noteCommitted(u)
		}
	}
	if err != nil {
		w.err = err
		for _, r := range w.runs {
			r.abandon(err)
		}
	}
	return w.removeFinished()
}

// removeFinished forgets the runs for which nothing more will be committed, and returns the functions that
// acknowledge their ends. Callers hold w.mu.
func (w *Writer) removeFinished() (acknowledge []func()) {
	for _, r := range w.runs {
		if e := r.ending; r.isOver() && e != nil && e.acknowledged != nil {
			acknowledge = append(acknowledge, func() { e.acknowledged(r.err) })
		}
	}
	w.runs = slices.DeleteFunc(w.runs, (*RunWriter).isOver)
	return acknowledge
}

// noteCommitted removes the committed work from the queue. Callers hold w.mu.
func (r *RunWriter) noteCommitted(u *commitUnit) {
	r.file = u.file
	r.done = slices.Delete(r.done, 0, len(u.done))
	if r.checkpoint == u.checkpoint {
		r.checkpoint = nil
	}
	r.unstage(u)
	if r.pendingSession == u.session {
		r.pendingSession = nil
	}
	r.sessionNo, r.heartbeat = u.number, u.heartbeat
	r.w.sealed -= u.sealed
	r.sealed -= u.sealed
	r.endCommitted = u.ending != nil
}

// unstage forgets the committed records, except those that later rows need again: they could be pruned by then.
// Callers hold w.mu.
func (r *RunWriter) unstage(u *commitUnit) {
	later := commitUnit{done: r.done, checkpoint: r.checkpoint}
	wanted := map[schema.Digest]bool{}
	maps.Copy(wanted, r.loose)
	for _, e := range later.entries() {
		wanted[e.Name] = true
	}
	for _, e := range u.entries() {
		if !wanted[e.Name] {
			delete(r.staged, e.Name)
		}
	}
}

func (r *RunWriter) isOver() bool { return r.endCommitted || r.err != nil }

// A replacedError reports that another file replaced the store's, in which this process does not hold the run.
// It matches [tracker.ErrLeaseLost].
type replacedError struct{ path string }

func (r replacedError) Error() string { return "the store's file was replaced: " + r.path }

// Is reports whether target is [tracker.ErrLeaseLost].
func (r replacedError) Is(target error) bool { return target == tracker.ErrLeaseLost }
