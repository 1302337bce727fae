package rows

import (
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A NameSet is a set of record names, kept as their first 8 bytes. With a probability of 2⁻⁶⁴ per pair it
// contains a name that was not added.
type NameSet struct {
	prefixes []uint64
	sorted   bool // and without repetitions
}

func namePrefix(name []byte) uint64 { return binary.BigEndian.Uint64(name) }

// Add adds a name.
func (n *NameSet) Add(name schema.Digest) {
	n.prefixes, n.sorted = append(n.prefixes, namePrefix(name[:])), false
}

// Has reports whether the set contains a name, of which at least the first 8 bytes are given.
func (n *NameSet) Has(name []byte) bool {
	if !n.sorted {
		slices.Sort(n.prefixes)
		n.prefixes, n.sorted = slices.Clip(slices.Compact(n.prefixes)), true
	}
	_, found := slices.BinarySearch(n.prefixes, namePrefix(name))
	return found
}
