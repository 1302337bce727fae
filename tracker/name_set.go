package tracker

import (
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// nameSet is a set of record names by their first 8 bytes, of about 8 bytes each. With a
// probability of 2⁻⁶⁴ per pair it contains a name that was not added.
type nameSet struct {
	sorted []uint64
	recent map[uint64]bool // at most maxRecent
	added  []uint64        // since the last call of has
}

// maxRecent is the number of names that are kept besides the sorted ones.
const maxRecent = 1 << 12

func namePrefix(name []byte) uint64 { return binary.BigEndian.Uint64(name) }

func (s *nameSet) add(name schema.Digest) { s.added = append(s.added, namePrefix(name[:])) }

func (s *nameSet) has(name []byte) bool {
	if len(s.added) > 0 {
		s.merge()
	}
	p := namePrefix(name)
	_, found := slices.BinarySearch(s.sorted, p)
	return found || s.recent[p]
}

// merge makes the added names visible to has.
func (s *nameSet) merge() {
	if len(s.added)+len(s.recent) <= maxRecent {
		if s.recent == nil {
			s.recent = map[uint64]bool{}
		}
		for _, p := range s.added {
			s.recent[p] = true
		}
		s.added = nil
		return
	}
	for p := range s.recent {
		s.added = append(s.added, p)
	}
	s.sorted = append(s.sorted, s.added...)
	slices.Sort(s.sorted)
	s.sorted = slices.Clip(slices.Compact(s.sorted))
	s.recent, s.added = nil, nil
}
