package recorded

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestRecent: what was used last stays, as far as it fits, and the last one whatever its size.
func TestRecent(t *testing.T) {
	sized := func(k, share int) *selected {
		return &selected{k: k, factors: schema.Factors{V: make([]float64, recentBytes/8/share)}}
	}
	var c recent
	for k := range 3 {
		c.add(sized(k, 4))
	}
	c.get(0)
	c.add(sized(3, 2)) // 1 is the one that was used longest ago
	for k, kept := range []bool{true, false, true, true} {
		if (c.get(k) != nil) != kept {
			t.Errorf("iteration %d is kept: %v", k, !kept)
		}
	}
	c.add(&selected{k: 4, factors: schema.Factors{V: make([]float64, recentBytes)}})
	if c.get(4) == nil || len(c.iterations) != 1 {
		t.Errorf("of a large one %v is kept", c.iterations)
	}
	if size := c.get(4).size(); c.bytes != size {
		t.Errorf("%d bytes are kept, want %d", c.bytes, size)
	}
}
