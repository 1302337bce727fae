package rows

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestNameSet: a set has the names that were added, also after it was asked.
func TestNameSet(t *testing.T) {
	var s NameSet
	for i := range 9 {
		name := schema.Name([]byte{byte(i)})
		if s.Has(name[:]) {
			t.Errorf("before it is added: %d", i)
		}
		s.Add(name)
		s.Add(name)
		if !s.Has(name[:]) {
			t.Errorf("after it was added: %d", i)
		}
	}
}
