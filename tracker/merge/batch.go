package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// batch is what one transaction of a copy writes: segments of many runs, or one of a run that
// is longer than that. Digests are random, so nearly every record touches its own page of the
// index; as for a tracker.TxSizer, a row therefore counts beyond its bytes.
type batch struct {
	segments []*segment
	ended    []*runReader // runs of which nothing (more) is to be written
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

// roomFor returns the size limit of a segment of a run with metadata bytes of metadata. The only
// segment of a batch always has room for them.
func (s *batch) roomFor(metadata int64) int64 {
	if len(s.segments) == 0 {
		return max(s.limit, metadata+rows.RunBytes+portion.MinTx)
	}
	return s.limit - s.size
}

// countFinished returns the number of runs that end with the batch.
func (s *batch) countFinished() int {
	n := len(s.ended)
	for _, p := range s.segments {
		if p.last {
			n++
		}
	}
	return n
}

func (s *batch) add(p *segment) {
	s.segments = append(s.segments, p)
	s.size += p.size
}

// find returns the index of a record that the batch has already.
func (s *batch) find(e schema.Entry) (i int, found bool) {
	i, found = s.index[e.Name]
	return i, found && s.records[i].Entry.Kind == e.Kind
}

// putRecord adds a record and copies its stored form.
func (s *batch) putRecord(e schema.Entry, stored []byte) (i int) {
	i = len(s.records)
	s.records = append(s.records, verify.Record{Entry: e, Stored: s.copyToSlab(stored)})
	s.owners = append(s.owners, nil)
	if _, twice := s.index[e.Name]; !twice {
		s.index[e.Name] = i
	}
	return i
}

const slabSize = 256 << 10 // bytes

// copyToSlab returns a copy that shares a larger allocation with others, unless it is large itself.
func (s *batch) copyToSlab(stored []byte) []byte {
	if len(stored) > slabSize/8 {
		return append(make([]byte, 0, len(stored)), stored...)
	}
	if len(stored) > cap(s.slab)-len(s.slab) {
		s.slab = make([]byte, 0, slabSize)
	}
	at := len(s.slab)
	s.slab = append(s.slab, stored...)
	return s.slab[at:len(s.slab):len(s.slab)]
}

// truncateRecords removes the records from the n-th on: their run does not fit or is refused.
func (s *batch) truncateRecords(n int) {
	for i := n; i < len(s.records); i++ {
		if name := s.records[i].Entry.Name; s.index[name] == i {
			delete(s.index, name)
		}
	}
	clear(s.records[n:])
	s.records, s.owners = s.records[:n], s.owners[:n]
}
