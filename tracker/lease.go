package tracker

import (
	"crypto/rand"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/process"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// A Lease records which process works on a run. It is taken in the transaction that begins the
// work, and every commit checks its token.
type Lease struct {
	Token [16]byte `cbor:"token"` // random, different for each acquisition
	Boot  string   `cbor:"boot"`  // boot and namespaces in which PID and Start identify a process; "" if unknown
	Host  string   `cbor:"host"`
	PID   int      `cbor:"pid"`
	Start uint64   `cbor:"start"` // of the process, in the kernel's ticks since boot; 0 if unknown
	Since int64    `cbor:"since"` // Unix times in nanoseconds
	Beat  int64    `cbor:"beat"`
}

// IsAlive reports whether the lease is valid at that time: its heartbeat is not older than after,
// and its process is not known to have ended. A heartbeat in the future is treated like one in the
// past, so that a clock that was set back cannot keep a run locked forever.
func (l Lease) IsAlive(now time.Time, after time.Duration) bool {
	if now.Sub(time.Unix(0, l.Beat)).Abs() > after {
		return false
	}
	return !l.isOfThisMachine() || !process.Gone(l.PID, l.Start)
}

// isOfThisMachine reports whether the lease's process is visible from here.
func (l Lease) isOfThisMachine() bool { return l.Boot != "" && l.Boot == process.Self().Boot }

func newLease(now time.Time) Lease {
	self := process.Self()
	l := Lease{Boot: self.Boot, Host: self.Host, PID: self.PID, Start: self.Start}
	_, _ = rand.Read(l.Token[:]) // never fails
	l.Since, l.Beat = now.UnixNano(), now.UnixNano()
	return l
}

// ReadLease returns the run's lease, live or stale, or nil if there is none.
func (t *Tx) ReadLease(id schema.Digest) (*Lease, error) {
	return rows.ReadOptional[Lease](t.rows, rows.BucketLeases, id)
}

func (t *Tx) isAlive(l Lease) bool {
	return l.IsAlive(t.store.now(), t.store.opts.LeaseAfter)
}

// Status is the state of a run. It is computed and never stored.
type Status string

// The states of a run.
const (
	Complete    Status = "complete"
	Running     Status = "running"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// ReadStatus returns the state of the run.
func (t *Tx) ReadStatus(id schema.Digest) (Status, error) {
	a, err := t.ReadAnnotation(id)
	if err != nil {
		return "", err
	}
	done, _, err := t.ReadHead(id)
	if err != nil {
		return "", err
	}
	return t.DeriveStatus(id, a, done)
}

// DeriveStatus returns the same as [Tx.ReadStatus], for callers that have the run's annotation and
// number of iterations.
func (t *Tx) DeriveStatus(id schema.Digest, a Annotation, done int) (Status, error) {
	l, err := t.ReadLease(id)
	switch {
	case err != nil:
		return "", err
	case done >= a.Target:
		return Complete, nil
	case l != nil && t.isAlive(*l):
		return Running, nil
	case a.Failure != "":
		return Failed, nil
	}
	return Interrupted, nil
}
