package tracker

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// HeldError reports that a living process works on the run. It matches [ErrLocked].
type HeldError struct {
	Run            schema.Digest
	Lease          Lease
	SinceHeartbeat time.Duration // since the lease's last heartbeat
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("run %.7s is being worked on by process %d on %s since %s, last heard of %d s ago",
		e.Run, e.Lease.PID, e.Lease.Host, time.Unix(0,
			e.Lease.Since).Format(time.DateTime), int(e.SinceHeartbeat.Seconds()))
}

// Is reports whether target is [ErrLocked].
func (e *HeldError) Is(target error) bool { return target == ErrLocked }

// CheckNotHeld returns a [*HeldError] if the lease of the run is live. Only time tells whether an
// owner on another machine is gone. l may be nil.
func (t *Tx) CheckNotHeld(run schema.Digest, l *Lease) error {
	if l == nil || !t.isAlive(*l) {
		return nil
	}
	heard := t.store.now().Sub(time.Unix(0, l.Beat))
	err := &HeldError{Run: run, Lease: *l, SinceHeartbeat: max(heard, 0)}
	if l.isOfThisMachine() {
		return schema.Hint(err, "wait for process %d on %s, or end it", l.PID, l.Host)
	}
	left := max(t.store.opts.LeaseAfter-heard, 0).Round(time.Second) + time.Second
	return schema.Hint(err, "whether process %d on %s still runs cannot be seen from here; unless it is heard of "+
		"again, the run can be taken over in %d s",
		l.PID, l.Host, int(left.Seconds()))
}
