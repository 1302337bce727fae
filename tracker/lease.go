package tracker

import (
	"crypto/rand"
	"os"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// Lease says which process works on a run. It is taken in the transaction that
// begins the work, and every commit checks its token.
type Lease struct {
	Token [16]byte `cbor:"token"` // random, of this one acquisition
	Boot  string   `cbor:"boot"`  // in which PID and Start mean a process: boot and namespaces; "" where not known
	Host  string   `cbor:"host"`
	PID   int      `cbor:"pid"`
	Start uint64   `cbor:"start"` // of the process, in the kernel's ticks since boot; 0 where not known
	Since int64    `cbor:"since"` // Unix times in nanoseconds
	Beat  int64    `cbor:"beat"`
}

// IsAlive says whether the lease counts at that time: its heartbeat is no older
// than after, and its process is not one of this machine that is gone. A
// heartbeat from the future is judged like one from the past, lest a clock that
// was set back keep a run for ever.
func (l Lease) IsAlive(now time.Time, after time.Duration) bool {
	if now.Sub(time.Unix(0, l.Beat)).Abs() > after {
		return false
	}
	return !l.isOfThisMachine() || !processGone(l.PID, l.Start)
}

// isOfThisMachine reports whether the lease's process can be seen from here.
func (l Lease) isOfThisMachine() bool { return l.Boot != "" && l.Boot == selfLease().Boot }

// selfLease is a lease of this process, without token and times.
var selfLease = sync.OnceValue(func() Lease {
	host, _ := os.Hostname() // only shown
	pid := os.Getpid()
	l := Lease{Boot: bootID(), Host: host, PID: pid}
	l.Start = ownStartTime()
	return l
})

func newLease(now time.Time) Lease {
	l := selfLease()
	_, _ = rand.Read(l.Token[:]) // never fails
	l.Since, l.Beat = now.UnixNano(), now.UnixNano()
	return l
}

// ReadLease returns the run's lease, dead or alive, nil where there is none.
func (t *Tx) ReadLease(id schema.Digest) (*Lease, error) {
	return readOptional[Lease](t, bucketLeases, id)
}

func (t *Tx) isAlive(l Lease) bool {
	return l.IsAlive(t.store.now(), t.store.opts.LeaseAfter)
}

// Status is how it stands with a run. It is computed, never stored.
type Status string

// The four states of a run.
const (
	Complete    Status = "complete"
	Running     Status = "running"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// ReadStatus returns how it stands with the run.
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

// DeriveStatus is [Tx.ReadStatus] for who has read the run's annotation and how many
// iterations it has.
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
