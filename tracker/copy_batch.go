package tracker

import "github.com/podtrack/podtrack/schema"

// copyBatch is what one transaction of a copy writes: segments of many runs, or one of a run that
// is longer than that. Digests are random, so nearly every record touches its own page of the
// index; as in [txSizer], a row therefore counts beyond its bytes.
type copyBatch struct {
	segments []*runSegment
	ended    []*runReader // runs of which nothing (more) is to be written
	size     int64        // approximate size of the segments in bytes
	limit    int64        // largest size

	records []storedRecord        // of all segments
	owners  []*runSegment         // by record: the segment that listed it last
	index   map[schema.Digest]int // index of the first record of that name
	alias   map[int]int           // by record: the first one of the same name but another kind
	slab    []byte                // memory for stored forms
}

func newCopyBatch(limit int64) *copyBatch {
	return &copyBatch{limit: limit, index: map[schema.Digest]int{}}
}

// roomFor returns the size limit of a segment of a run with metadata bytes of metadata. The only
// segment of a batch always has room for them.
func (s *copyBatch) roomFor(metadata int64) int64 {
	if len(s.segments) == 0 {
		return max(s.limit, metadata+runCost+minTxBytes)
	}
	return s.limit - s.size
}

// countFinished returns the number of runs that end with the batch.
func (s *copyBatch) countFinished() int {
	n := len(s.ended)
	for _, p := range s.segments {
		if p.last {
			n++
		}
	}
	return n
}

func (s *copyBatch) add(p *runSegment) {
	s.segments = append(s.segments, p)
	s.size += p.size
}

// find returns the index of a record that the batch has already.
func (s *copyBatch) find(e schema.Entry) (i int, found bool) {
	i, found = s.index[e.Name]
	return i, found && s.records[i].entry.Kind == e.Kind
}

// putRecord adds a record and copies its stored form.
func (s *copyBatch) putRecord(e schema.Entry, stored []byte) (i int) {
	i = len(s.records)
	s.records = append(s.records, storedRecord{entry: e, stored: s.copyToSlab(stored)})
	s.owners = append(s.owners, nil)
	if first, twice := s.index[e.Name]; twice {
		if s.alias == nil {
			s.alias = map[int]int{}
		}
		s.alias[i] = first
	} else {
		s.index[e.Name] = i
	}
	return i
}

const slabSize = 256 << 10 // bytes

// copyToSlab returns a copy that shares a larger allocation with others, unless it is large itself.
func (s *copyBatch) copyToSlab(stored []byte) []byte {
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
func (s *copyBatch) truncateRecords(n int) {
	for i := n; i < len(s.records); i++ {
		if name := s.records[i].entry.Name; s.index[name] == i {
			delete(s.index, name)
		}
		delete(s.alias, i)
	}
	clear(s.records[n:])
	s.records, s.owners = s.records[:n], s.owners[:n]
}
