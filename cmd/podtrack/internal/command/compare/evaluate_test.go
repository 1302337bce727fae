package compare

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestIterationLimit: iterations are numbered from 0 on.
func TestIterationLimit(t *testing.T) {
	for k, says := range map[int]string{0: "", -1: "iteration -1"} {
		err := checkNumber(&k)
		if (err == nil) != (says == "") || err != nil && (!strings.Contains(err.Error(), says) ||
			!strings.Contains(schema.Remedy(err), "from 0")) {
			t.Errorf("%d: %v (%s)", k, err, schema.Remedy(err))
		}
	}
}
