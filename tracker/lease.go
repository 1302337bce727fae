package tracker

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/process"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Lease records which process works on a run. It is taken in the transaction that begins the work, and every
// commit checks its token.
type Lease struct {
	Token [16]byte `cbor:"token"` // random, different for each acquisition
	Boot  string   `cbor:"boot"`  // boot and namespaces in which PID and Start identify a process; "" if unknown
	Host  string   `cbor:"host"`
	PID   int      `cbor:"pid"`
	Start uint64   `cbor:"start"` // of the process, in the kernel's ticks since boot; 0 if unknown
	Since int64    `cbor:"since"` // Unix times in nanoseconds
	Beat  int64    `cbor:"beat"`
}

// IsAlive reports whether the lease is valid at that time: its heartbeat is not older than after, and its
// process is not known to have ended. A heartbeat in the future counts like one in the past, so that a clock
// that was set back cannot keep a run locked forever.
func (l Lease) IsAlive(now time.Time, after time.Duration) bool {
	if now.Sub(time.Unix(0, l.Beat)).Abs() > after {
		return false
	}
	return !l.isOfThisMachine() || !process.Gone(l.PID, l.Start)
}

// isOfThisMachine reports whether the lease's process is visible to this process.
func (l Lease) isOfThisMachine() bool { return l.Boot != "" && l.Boot == process.Self().Boot }

// ReadLease returns the run's lease, live or stale, or nil if it has none.
func (t *Tx) ReadLease(id schema.Digest) (*Lease, error) {
	return rows.ReadOptional[Lease](t.rows, rows.BucketLeases, id)
}

func (t *Tx) isAlive(l Lease) bool {
	return l.IsAlive(t.store.Now(), t.store.opts.LeaseAfter)
}

// A Status is the state of a run. It is computed and never stored.
type Status string

// The states of a run.
const (
	Complete    Status = "complete"
	Running     Status = "running"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// DeriveStatus returns the status of a run, given its annotation and its number of iterations.
func (t *Tx) DeriveStatus(id schema.Digest, a Annotation, done int) (Status, error) {
	l, err := t.ReadLease(id)
	switch {
	case err != nil:
		return "", err
	case done >= a.Target && !a.Open:
		return Complete, nil
	case l != nil && t.isAlive(*l):
		return Running, nil
	case a.Failure != "":
		return Failed, nil
	}
	return Interrupted, nil
}

// A HeldError reports that a living process works on the run. It matches [ErrLocked].
type HeldError struct {
	Run            schema.Digest
	Lease          Lease
	SinceHeartbeat time.Duration // since the lease's last heartbeat
}

func (h *HeldError) Error() string {
	return fmt.Sprintf("run %.7s is being worked on by process %d on %s since %s, last heard of %d s ago",
		h.Run, h.Lease.PID, h.Lease.Host, time.Unix(0,
			h.Lease.Since).Format(time.DateTime), int(h.SinceHeartbeat.Seconds()))
}

// Is reports whether target is [ErrLocked].
func (h *HeldError) Is(target error) bool { return target == ErrLocked }

// CheckNotHeld returns a [*HeldError] if the lease of the run is live. A process on another machine counts as
// alive until its lease is stale. l may be nil.
func (t *Tx) CheckNotHeld(run schema.Digest, l *Lease) error {
	if l == nil || !t.isAlive(*l) {
		return nil
	}
	heard := t.store.Now().Sub(time.Unix(0, l.Beat))
	err := &HeldError{Run: run, Lease: *l, SinceHeartbeat: max(heard, 0)}
	if l.isOfThisMachine() {
		return schema.Hint(err, "wait for process %d on %s, or end it", l.PID, l.Host)
	}
	left := max(t.store.opts.LeaseAfter-heard, 0).Round(time.Second) + time.Second
	return schema.Hint(err, "this machine cannot tell whether process %d on %s is still running; unless it is heard of "+
		"again, the run can be taken over in %d s",
		l.PID, l.Host, int(left.Seconds()))
}

// LeasedRuns returns the runs with a lease, live or stale.
func (t *Tx) LeasedRuns() ([]schema.Digest, error) {
	var runs []schema.Digest
	for key := range t.rows.WithPrefix(rows.BucketLeases, nil) {
		var id schema.Digest
		if copy(id[:], key) != len(key) {
			return nil, rows.DamagedError(rows.BucketLeases, key)
		}
		runs = append(runs, id)
	}
	return runs, nil
}
