package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A batch is what one transaction of a copy writes: segments of many runs, or one segment of a run that is
// longer than a batch. Digests are random, so nearly every record touches its own page of the index; therefore
// a row counts beyond its bytes, as for a tracker.TxSizer.
type batch struct {
	segments []*segment
	ended    []*runReader // runs of which nothing more will be written
	size     int64        // approximate size of the segments in bytes
	limit    int64        // largest size

	records []verify.Record       // of all segments
	owners  []*segment            // by record: the segment that listed it last
	index   map[schema.Digest]int // index of the first record of that name
	slab    []byte                // memory for stored forms
}

func newBatch(limit int64) *batch {
	return &batch{limit: limit, index: map[schema.Digest]int{}}
}

// roomFor returns the size limit of a segment of a run with metadata bytes of metadata. The only segment of a
// batch always has room for its metadata.
func (b *batch) roomFor(metadata int64) int64 {
	if len(b.segments) == 0 {
		return max(b.limit, metadata+rows.RunBytes+portion.MinTx)
	}
	return b.limit - b.size
}

// countFinished returns the number of runs that end with the batch.
func (b *batch) countFinished() int {
	n := len(b.ended)
	for _, p := range b.segments {
		if p.last {
			n++
		}
	}
	return n
}

func (b *batch) add(p *segment) {
	b.segments = append(b.segments, p)
	b.size += p.size
}

// find returns the index of a record that the batch already has.
func (b *batch) find(e schema.Entry) (i int, found bool) {
	i, found = b.index[e.Name]
	return i, found && b.records[i].Entry.Kind == e.Kind
}

// putRecord adds a record and copies its stored form.
func (b *batch) putRecord(e schema.Entry, stored []byte) (i int) {
	i = len(b.records)
	b.records = append(b.records, verify.Record{Entry: e, Stored: b.copyToSlab(stored)})
	b.owners = append(b.owners, nil)
	if _, twice := b.index[e.Name]; !twice {
		b.index[e.Name] = i
	}
	return i
}

const slabSize = 256 << 10 // bytes

// copyToSlab returns a copy that shares a larger allocation with other copies, unless it is large itself.
func (b *batch) copyToSlab(stored []byte) []byte {
	if len(stored) > slabSize/8 {
		return append(make([]byte, 0, len(stored)), stored...)
	}
	if len(stored) > cap(b.slab)-len(b.slab) {
		b.slab = make([]byte, 0, slabSize)
	}
	at := len(b.slab)
	b.slab = append(b.slab, stored...)
	return b.slab[at:len(b.slab):len(b.slab)]
}

// truncateRecords removes the records from the n-th on, whose run does not fit or is refused.
func (b *batch) truncateRecords(n int) {
	for i := n; i < len(b.records); i++ {
		if name := b.records[i].Entry.Name; b.index[name] == i {
			delete(b.index, name)
		}
	}
	clear(b.records[n:])
	b.records, b.owners = b.records[:n], b.owners[:n]
}
