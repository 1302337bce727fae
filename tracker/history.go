package tracker

import (
	"github.com/podtrack/podtrack/schema"
)

// Cost is what an iteration took. It is in no digest.
type Cost struct {
	Stages map[string]int64 `cbor:"stages"` // wall time in nanoseconds
}

// Session is one process at work on a run. It is in no digest.
type Session struct {
	Started  int64             `cbor:"started" json:"started"` // Unix time in nanoseconds
	Ended    int64             `cbor:"ended" json:"ended"`
	Host     string            `cbor:"host" json:"host"`
	PID      int               `cbor:"pid" json:"pid"`
	Go       string            `cbor:"go" json:"go"`
	OS       string            `cbor:"os" json:"os"`
	Arch     string            `cbor:"arch" json:"arch"`
	Level    string            `cbor:"level" json:"level"` // GOAMD64, GOARM64
	Modules  map[string]string `cbor:"modules" json:"modules"`
	Revision string            `cbor:"revision" json:"revision"`
	Dirty    bool              `cbor:"dirty" json:"dirty"`
	From     int               `cbor:"from" json:"from"` // iterations From … To−1 were made
	To       int               `cbor:"to" json:"to"`
	CPU      int64             `cbor:"cpu" json:"cpu"`   // nanoseconds
	Peak     int64             `cbor:"peak" json:"peak"` // bytes of memory
}

// Cost returns what the k-th iteration took, zero where that is not known.
func (t *Tx) Cost(id schema.Digest, k int) (Cost, error) {
	c, _, err := read[Cost](t, bucketCosts, partKey(id, k))
	return c, err
}

// Sessions are the processes that worked on the run, in order.
func (t *Tx) Sessions(id schema.Digest) ([]Session, error) {
	var all []Session
	for key, row := range t.within(bucketSessions, id[:]) {
		value, err := verify(bucketSessions, key, row)
		if err != nil {
			return all, err
		}
		s, err := decodeRow[Session](bucketSessions, key, value)
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
	return all, t.notStray(bucketSessions, id[:])
}

// putSession writes the run's n-th session; a negative n stands for the next.
// It returns the number.
func (t *Tx) putSession(id schema.Digest, n int, s Session) (int, error) {
	if n < 0 {
		key, _, err := t.last(bucketSessions, id)
		if err != nil {
			return n, err
		}
		last, ok := partNumber(key)
		if key != nil && !ok {
			return n, damagedRow(bucketSessions, key)
		}
		n = 0
		if ok {
			n = last + 1
		}
	}
	return n, write(t, bucketSessions, partKey(id, n), s)
}
