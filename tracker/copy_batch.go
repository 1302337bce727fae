package tracker

import "github.com/podtrack/podtrack/schema"

// copyBatch is what one transaction of a copy brings: parcels of many runs, or one of a
// run that is longer than that. Digests fall anywhere, so a transaction writes a page of
// their index for nearly every record: as in [txSizer], a row counts beside its bytes.
type copyBatch struct {
	segments []*runSegment
	ended    []*runReader // runs of which nothing is to be written (any more)
	size     int64        // of the parcels: about
	limit    int64        // of size

	records []storedRecord        // of all parcels
	owners  []*runSegment         // that listed each of them last
	index   map[schema.Digest]int // the first of records of that name
	alias   map[int]int           // of one that has the name of an earlier one, and another kind: that one
	slab    []byte                // room for stored forms
}

func newCopyBatch(limit int64) *copyBatch {
	return &copyBatch{limit: limit, index: map[schema.Digest]int{}}
}

// roomFor is how much a parcel of a run may take of which so much is said. One that is
// alone has room for that in any case.
func (s *copyBatch) roomFor(said int64) int64 {
	if len(s.segments) == 0 {
		return max(s.limit, said+runCost+minTxBytes)
	}
	return s.limit - s.size
}

// countFinished is how many runs are gone through with the shipment.
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

// find is the place of a record that another parcel, or the same one, brings.
func (s *copyBatch) find(e schema.Entry) (i int, found bool) {
	i, found = s.index[e.Name]
	return i, found && s.records[i].entry.Kind == e.Kind
}

// putRecord adds a record, whose stored form is copied.
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

// copyToSlab is a copy that shares its memory with others.
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

// truncateRecords takes out the records from the n-th on: their run is not to be brought.
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
