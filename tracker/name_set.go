package tracker

import (
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// nameSet is a set of names of records, by their first 8 bytes: it may have one that was
// not added, by an accident of 1 in 2⁶⁴. It takes about 8 bytes for each.
type nameSet struct {
	sorted []uint64
	recent map[uint64]bool // few, when the set is asked for
	added  []uint64        // since the set was last asked for
}

// maxRecent is how many names are kept beside those that are sorted.
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

// merge makes the names that were added ready to be found.
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
