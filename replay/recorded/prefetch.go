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
func (p *Prefetcher) Read(name schema.Digest) ([]byte, error) {
	if f, ok := p.ready[name]; ok {
		return f.record, f.err
	}
	if err := p.View(func(tx *tracker.Tx) error { return p.fill(tx, name) }); err != nil {
		return nil, err
	}
	f := p.ready[name]
	return f.record, f.err
}

// fill reads the named record and as many of the records listed after it as fit into prefetchBytes. It drops all
// records that were read earlier.
func (p *Prefetcher) fill(tx *tracker.Tx, name schema.Digest) error {
	p.ready = map[schema.Digest]readResult{}
	record, err := tx.ReadRecord(name)
	if err != nil && !IsUnavailable(err) {
		return err
	}
	p.ready[name] = readResult{record, err}
	room := len(record)
	for len(p.Queue) > 0 {
		next := p.Queue[0].Name
		p.Queue = p.Queue[1:]
		if next == name {
			break
		}
	}
	for room < PrefetchBytes && len(p.Queue) > 0 {
		room += p.readNext(tx, p.Queue[0].Name)
		p.Queue = p.Queue[1:]
	}
	return nil
}

// readNext reads one record and returns its size.
func (p *Prefetcher) readNext(tx *tracker.Tx, name schema.Digest) int {
	record, err := tx.ReadRecord(name)
	if err != nil && !IsUnavailable(err) {
		return 0 // the next request reads it again
	}
	p.ready[name] = readResult{record, err}
	return len(record)
}
