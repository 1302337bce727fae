package recorded

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// selected holds the factors and purposes of one iteration.
type selected struct {
	factors  schema.Factors
	purposes []schema.Purpose
}

// recentBytes bounds the memory for factors and purposes that Records keeps.
const recentBytes = 16 << 20

// recent is a cache of the iterations that were used last: as many as fit into recentBytes, at least one.
type recent struct {
	byK   map[int]*selected
	order []int // iterations, most recently used last
	bytes int
}

// get returns iteration k, nil if it is not cached.
func (r *recent) get(k int) *selected {
	it := r.byK[k]
	if it != nil {
		i := slices.Index(r.order, k)
		r.order = append(slices.Delete(r.order, i, i+1), k)
	}
	return it
}

// add adds iteration k, and evicts the least recently used ones.
func (r *recent) add(k int, it *selected) {
	if r.byK == nil {
		r.byK = map[int]*selected{}
	}
	r.byK[k], r.order, r.bytes = it, append(r.order, k), r.bytes+it.size()
	for r.bytes > recentBytes && len(r.order) > 1 {
		oldest := r.order[0]
		r.bytes -= r.byK[oldest].size()
		delete(r.byK, oldest)
		r.order = r.order[1:]
	}
}

// size returns the approximate size of the factors and purposes in memory, in bytes.
func (s *selected) size() int {
	f := s.factors
	numbers := len(f.V) + len(f.Sigma) + len(f.Counts)
	for _, row := range f.Rows {
		numbers += 3 + 2*len(row)
	}
	for _, p := range s.purposes {
		numbers += 6 + len(p.Vector)
	}
	return 8 * numbers
}
