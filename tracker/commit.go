package tracker

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// unit is what one commit holds of one run: a snapshot, since the run goes on.
type unit struct {
	r       *RunWriter
	records map[schema.Digest][]byte // those staged that the unit's rows name
	first   int                      // number of the first of done, or of the iteration under way
	done    []finished
	open    *Checkpoint
	session *Session
	number  int // of the session
	ending  *ending
	sealed  int64
	beat    time.Time
	lease   Lease // as found, set by check
	err     error // why the run cannot be written to; the others can
}

// commit writes all that is sealed in one transaction, and returns what is to be
// called when the turn is over.
//
// Only records that a row of the same transaction names are written, so there
// is no moment at which a removal elsewhere could take them for unused. A run
// is first checked and then written: what is wrong with one costs no other.
func (w *Writer) commit(ctx context.Context) (acknowledge []func(), err error) {
	units, err := w.collect()
	if len(units) == 0 || err != nil {
		return nil, err
	}
	fault("commit.before")
	err = w.store.Update(ctx, func(tx *Tx) error {
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
	if retryable(err) {
		return nil, err
	}
	fault("commit.after")
	return w.settle(units, err), err
}

// collect takes a snapshot of the runs that have anything to commit. Heartbeats
// go along long before they are overdue.
func (w *Writer) collect() ([]*unit, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	now := w.store.now()
	var units []*unit
	for _, r := range w.runs {
		if r.dirty() || now.Sub(r.beat) >= w.store.opts.Heartbeat/2 {
			units = append(units, r.unit(now))
		}
	}
	return units, nil
}

// unit is for callers that hold w.mu.
func (r *RunWriter) unit(now time.Time) *unit {
	u := &unit{
		r: r, records: map[schema.Digest][]byte{}, first: r.next - len(r.done), done: slices.Clone(r.done),
		open: r.open, session: r.session, number: r.sessionNo, ending: r.ending, sealed: r.sealed, beat: now,
	}
	for name := range u.names() {
		if stored, ok := r.staged[name]; ok {
			u.records[name] = stored
		}
	}
	return u
}

// names yields what the unit's rows name, in order, with repetitions.
func (u *unit) names() iter.Seq[schema.Digest] {
	return func(yield func(schema.Digest) bool) {
		lists := make([][]schema.Entry, 0, len(u.done)+1)
		for _, f := range u.done {
			lists = append(lists, f.it.Records)
		}
		if u.open != nil {
			lists = append(lists, u.open.Records)
		}
		for _, e := range slices.Concat(lists...) {
			if !yield(e.Name) {
				return
			}
		}
	}
}

// check reads whether the run is still ours, is where we left it, and will have
// every record that its rows name.
func (u *unit) check(tx *Tx) error {
	id := u.r.id
	lease, err := tx.ReadLease(id)
	if err != nil {
		return err
	}
	if lease == nil || lease.Token != u.r.token {
		return schema.Hint(fmt.Errorf("run %.7s: %w", id, ErrLeaseLost),
			"this process was not heard of for too long; the run goes on elsewhere, or was removed, and needs nothing from here")
	}
	u.lease = *lease
	done, _, err := tx.ReadHead(id)
	if err != nil {
		return err
	}
	if done != u.first {
		return fmt.Errorf("run %.7s: %w: it has %d iterations and not %d", id, ErrLeaseLost, done, u.first)
	}
	for name := range u.names() {
		if _, staged := u.records[name]; !staged && !tx.HasRecord(name) {
			return fmt.Errorf("run %.7s: record %s: %w", id, name, ErrMissing)
		}
	}
	return nil
}

// apply writes the unit, referents first.
func (u *unit) apply(tx *Tx) error {
	steps := []func(*Tx) error{u.putRecords, u.putIterations, u.putCheckpoint, u.putSession, u.putLease}
	for _, step := range steps {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// putRecords appends the records in the order in which rows name them, unless
// they are in the file already.
func (u *unit) putRecords(tx *Tx) error {
	for name := range u.names() {
		stored, staged := u.records[name]
		if !staged || tx.HasRecord(name) {
			continue
		}
		if err := tx.append(name, stored); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) putIterations(tx *Tx) error {
	for _, f := range u.done {
		if err := tx.putIteration(u.r.id, f.k, f.it); err != nil {
			return err
		}
		if err := write(tx, bucketCosts, partKey(u.r.id, f.k), f.cost); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) putCheckpoint(tx *Tx) error {
	switch {
	case u.open != nil:
		return write(tx, bucketCheckpoints, u.r.id[:], *u.open)
	case len(u.done) > 0:
		return tx.remove(bucketCheckpoints, u.r.id[:])
	}
	return nil
}

func (u *unit) putSession(tx *Tx) (err error) {
	if u.session != nil {
		u.number, err = tx.putSession(u.r.id, u.number, *u.session)
	}
	return err
}

// putLease refreshes the lease or ends it.
func (u *unit) putLease(tx *Tx) error {
	if u.ending == nil {
		u.lease.Beat = u.beat.UnixNano()
		return write(tx, bucketLeases, u.r.id[:], u.lease)
	}
	if u.ending.failure != "" {
		if err := tx.SetFailure(u.r.id, u.ending.failure); err != nil {
			return err
		}
	}
	return tx.remove(bucketLeases, u.r.id[:])
}

// settle makes the runs go on from what the commit holds, or ends them.
func (w *Writer) settle(units []*unit, err error) (acknowledge []func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = w.store.now()
	for _, u := range units {
		if u.err != nil {
			u.r.fail(u.err)
		} else if err == nil {
			u.r.committed(u)
		}
	}
	if err != nil {
		w.err = err
		for _, r := range w.runs {
			r.fail(err)
		}
	}
	return w.dismiss()
}

// dismiss forgets the runs of which nothing more will be committed, and returns
// the calls that tell it.
func (w *Writer) dismiss() (acknowledge []func()) {
	for _, r := range w.runs {
		if e := r.ending; r.over() && e != nil && e.acknowledged != nil {
			acknowledge = append(acknowledge, func() { e.acknowledged(r.err) })
		}
	}
	w.runs = slices.DeleteFunc(w.runs, (*RunWriter).over)
	return acknowledge
}

// committed takes out what the commit holds. Callers hold w.mu.
func (r *RunWriter) committed(u *unit) {
	r.done = slices.Delete(r.done, 0, len(u.done))
	if r.open == u.open {
		r.open = nil
	}
	r.unstage(u)
	if r.session == u.session {
		r.session = nil
	}
	r.sessionNo, r.beat = u.number, u.beat
	r.w.sealed -= u.sealed
	r.w.count(r, u)
	r.sealed -= u.sealed
	r.ended = u.ending != nil
}

// unstage forgets the records that the commit holds, but for those that are
// wanted again: by then, they could be pruned. Callers hold w.mu.
func (r *RunWriter) unstage(u *unit) {
	later := unit{done: r.done, open: r.open}
	wanted := map[schema.Digest]bool{}
	maps.Copy(wanted, r.loose)
	for name := range later.names() {
		wanted[name] = true
	}
	for name := range u.names() {
		if !wanted[name] {
			delete(r.staged, name)
		}
	}
}

// fail drops what the run has in memory. The first reason stays. Callers hold
// w.mu.
func (r *RunWriter) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.w.sealed -= r.sealed
	r.staged, r.loose, r.done, r.open, r.session, r.sealed, r.unsealed = nil, nil, nil, nil, nil, 0, 0
}

// over says that nothing more will be committed of the run.
func (r *RunWriter) over() bool { return r.ended || r.err != nil }
