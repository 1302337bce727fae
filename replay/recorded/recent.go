package recorded

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// selected holds the factors and purposes of one iteration.
type selected struct {
	k        int
	factors  schema.Factors
	purposes []schema.Purpose
}

// recentBytes bounds the memory for factors and purposes that Records keeps.
const recentBytes = 16 << 20

// recent is a cache of the iterations that were used last: as many as fit into recentBytes, at least one.
type recent struct {
	iterations []*selected // most recently used last
	bytes      int
}

// get returns iteration k, nil if it is not cached.
func (r *recent) get(k int) *selected {
	i := slices.IndexFunc(r.iterations, func(s *selected) bool { return s.k == k })
	if i < 0 {
		return nil
	}
	it := r.iterations[i]
	r.iterations = append(slices.Delete(r.iterations, i, i+1), it)
	return it
}

// add adds an iteration, and evicts the least recently used ones.
func (r *recent) add(it *selected) {
	r.iterations, r.bytes = append(r.iterations, it), r.bytes+it.size()
	for r.bytes > recentBytes && len(r.iterations) > 1 {
		r.bytes -= r.iterations[0].size()
		r.iterations = slices.Delete(r.iterations, 0, 1)
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
