package replay

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// prefetchBytes is how many bytes of records one transaction reads ahead.
const prefetchBytes = 16 << 20

// prefetcher reads the records of an iteration in listed order, many in one transaction. It keeps
// the error of a record that cannot be read.
type prefetcher struct {
	view  tracker.Viewer
	queue []schema.Entry
	ready map[schema.Digest]readResult
}

type readResult struct {
	record []byte
	err    error
}

// read returns the named record after verifying its digest.
func (a *prefetcher) read(name schema.Digest) ([]byte, error) {
	if f, ok := a.ready[name]; ok {
		return f.record, f.err
	}
	if err := a.view(func(tx *tracker.Tx) error { return a.fill(tx, name) }); err != nil {
		return nil, err
	}
	f := a.ready[name]
	return f.record, f.err
}

// fill reads the named record and as many of the records listed after it as fit into
// prefetchBytes. It drops everything that was read before.
func (a *prefetcher) fill(tx *tracker.Tx, name schema.Digest) error {
	a.ready = map[schema.Digest]readResult{}
	record, err := tx.ReadRecord(name)
	if err != nil && !isUnavailable(err) {
		return err
	}
	a.ready[name] = readResult{record, err}
	room := len(record)
	for len(a.queue) > 0 {
		next := a.queue[0].Name
		a.queue = a.queue[1:]
		if next == name {
			break
		}
	}
	for room < prefetchBytes && len(a.queue) > 0 {
		room += a.readNext(tx, a.queue[0].Name)
		a.queue = a.queue[1:]
	}
	return nil
}

// readNext reads one record and returns its size.
func (a *prefetcher) readNext(tx *tracker.Tx, name schema.Digest) int {
	record, err := tx.ReadRecord(name)
	if err != nil && !isUnavailable(err) {
		return 0 // read again when it is asked for
	}
	a.ready[name] = readResult{record, err}
	return len(record)
}
