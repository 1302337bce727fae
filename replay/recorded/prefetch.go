package recorded

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// PrefetchBytes is how many bytes of records one transaction reads ahead.
const PrefetchBytes = 16 << 20

// Prefetcher reads the records of an iteration in listed order, many in one transaction. It keeps
// the error of a record that cannot be read.
type Prefetcher struct {
	View  tracker.Viewer
	Queue []schema.Entry
	ready map[schema.Digest]readResult
}

type readResult struct {
	record []byte
	err    error
}

// Read returns the named record after verifying its digest.
func (a *Prefetcher) Read(name schema.Digest) ([]byte, error) {
	if f, ok := a.ready[name]; ok {
		return f.record, f.err
	}
	if err := a.View(func(tx *tracker.Tx) error { return a.fill(tx, name) }); err != nil {
		return nil, err
	}
	f := a.ready[name]
	return f.record, f.err
}

// fill reads the named record and as many of the records listed after it as fit into
// prefetchBytes. It drops everything that was read before.
func (a *Prefetcher) fill(tx *tracker.Tx, name schema.Digest) error {
	a.ready = map[schema.Digest]readResult{}
	record, err := tx.ReadRecord(name)
	if err != nil && !IsUnavailable(err) {
		return err
	}
	a.ready[name] = readResult{record, err}
	room := len(record)
	for len(a.Queue) > 0 {
		next := a.Queue[0].Name
		a.Queue = a.Queue[1:]
		if next == name {
			break
		}
	}
	for room < PrefetchBytes && len(a.Queue) > 0 {
		room += a.readNext(tx, a.Queue[0].Name)
		a.Queue = a.Queue[1:]
	}
	return nil
}

// readNext reads one record and returns its size.
func (a *Prefetcher) readNext(tx *tracker.Tx, name schema.Digest) int {
	record, err := tx.ReadRecord(name)
	if err != nil && !IsUnavailable(err) {
		return 0 // read again when it is asked for
	}
	a.ready[name] = readResult{record, err}
	return len(record)
}
