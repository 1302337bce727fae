package diff

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// iteration holds the factors and purposes of one iteration.
type iteration struct {
	factors  schema.Factors
	purposes []schema.Purpose
}

// recentBytes limits the factors and purposes of iterations that a run keeps in memory.
const recentBytes = 16 << 20

// recent holds the iterations that were read last, as many as fit into its limit, and always the last one.
type recent struct {
	byK   map[int]*iteration
	order []int // of k, the last one used at the end
	bytes int
}

// get returns iteration k, nil if it is not kept.
func (c *recent) get(k int) *iteration {
	it := c.byK[k]
	if it != nil {
		i := slices.Index(c.order, k)
		c.order = append(slices.Delete(c.order, i, i+1), k)
	}
	return it
}

// add adds iteration k, and drops those that were used longest ago.
func (c *recent) add(k int, it *iteration) {
	if c.byK == nil {
		c.byK = map[int]*iteration{}
	}
	c.byK[k], c.order, c.bytes = it, append(c.order, k), c.bytes+it.size()
	for c.bytes > recentBytes && len(c.order) > 1 {
		oldest := c.order[0]
		c.bytes -= c.byK[oldest].size()
		delete(c.byK, oldest)
		c.order = c.order[1:]
	}
}

// size returns about how many bytes of memory the factors and purposes take.
func (it *iteration) size() int {
	f := it.factors
	numbers := len(f.V) + len(f.Sigma) + len(f.Counts)
	for _, row := range f.Rows {
		numbers += 3 + 2*len(row)
	}
	for _, p := range it.purposes {
		numbers += 6 + len(p.Vector)
	}
	return 8 * numbers
}
