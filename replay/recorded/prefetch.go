package recorded

import (
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Bounds on what one transaction reads ahead. The index is sorted by digest, and records lie about anywhere in it: the
// more are looked up together, the fewer of its pages are read for each.
const (
	aheadRecords = 4096    // at about 200 bytes each, beside the record
	aheadBytes   = 4 << 20 // of records as stored
)

// A Prefetcher reads the records of iterations, most of them in the order in which these list them, and many in one
// transaction. It keeps records as stored until they are asked for. It is for one goroutine.
type Prefetcher struct {
	view       tracker.Viewer
	iterations []schema.Iteration
	ahead      map[schema.Digest]aheadRecord
	alone      bool // pages are damaged: each record is read by itself, to see which of them lie there
}

// An aheadRecord is a record that was read, or why it is unavailable.
type aheadRecord struct {
	tracker.StoredRecord
	err error
}

// NewPrefetcher returns a prefetcher of the iterations' records. It reads nothing yet.
func NewPrefetcher(view tracker.Viewer, iterations []schema.Iteration) *Prefetcher {
	return &Prefetcher{view: view, iterations: iterations}
}

// Read returns the raw bytes of a record of iteration k after verifying its digest.
func (p *Prefetcher) Read(k int, name schema.Digest) ([]byte, error) {
	stored, err := p.find(k, name)
	if err != nil {
		return nil, err
	}
	return stored.Unpack()
}

// Verify verifies a record of iteration k like [Prefetcher.Read], and keeps no copy of it.
func (p *Prefetcher) Verify(k int, name schema.Digest) error {
	stored, err := p.find(k, name)
	if err != nil {
		return err
	}
	return stored.Verify()
}

// find returns a record of iteration k as stored.
func (p *Prefetcher) find(k int, name schema.Digest) (tracker.StoredRecord, error) {
	if _, ok := p.ahead[name]; !ok {
		err := p.view(func(tx *tracker.Tx) error { return p.fill(tx, k, name) })
		if _, ok := p.ahead[name]; !ok {
			return tracker.StoredRecord{}, err
		}
		p.alone = p.alone || err != nil
	}
	r := p.ahead[name]
	return r.StoredRecord, r.err
}

// fill reads the named record and those listed after it, within the bounds. It drops all that were read earlier.
func (p *Prefetcher) fill(tx *tracker.Tx, k int, name schema.Digest) error {
	p.ahead = map[schema.Digest]aheadRecord{}
	size, err := p.readAhead(tx, name)
	if err != nil || p.alone {
		return err
	}
	after := p.listAfter(k, name)
	tx.Rows().UsePlaces(tx.Rows().LookUp(slices.Clone(after)))
	for i := 0; i < len(after) && size < aheadBytes && err == nil; i++ {
		var n int
		n, err = p.readAhead(tx, after[i])
		size += n
	}
	return err
}

// readAhead reads a record and returns its size as stored.
func (p *Prefetcher) readAhead(tx *tracker.Tx, name schema.Digest) (size int, err error) {
	r, err := tx.ReadStored(name)
	if err != nil && !IsDamage(err) && !errors.Is(err, tracker.ErrPruned) {
		return 0, err
	}
	p.ahead[name] = aheadRecord{r, err}
	return r.Size(), nil
}

// listAfter returns the names of the records that are listed after one of iteration k.
func (p *Prefetcher) listAfter(k int, name schema.Digest) (names []schema.Digest) {
	found := false
	for _, it := range p.iterations[k:] {
		for _, e := range it.Records {
			if len(names) == aheadRecords {
				return names
			}
			if found && e.Name != name {
				names = append(names, e.Name)
			}
			found = found || e.Name == name
		}
		if !found {
			return nil
		}
	}
	return names
}
