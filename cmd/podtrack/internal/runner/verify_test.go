package runner

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestSampleLimits: shares and parts at a limit are accepted, and those beyond are refused by an error that names both.
func TestSampleLimits(t *testing.T) {
	for _, limit := range []struct{ at, beyond, says string }{
		{"3/3", "4/3", "1/10"}, {"1/3", "0/3", "1/10"}, {"100%", "100.1%", "to 100%"},
		{"0.000001%", "0.0000009%", "from 0.000001%"},
	} {
		if _, err := ParseSample(&limit.at); err != nil {
			t.Errorf("%s: %v", limit.at, err)
		}
		if _, err := ParseSample(&limit.beyond); err == nil || !strings.Contains(err.Error(), limit.beyond) ||
			!strings.Contains(schema.Remedy(err), limit.says) {
			t.Errorf("%s: %v (%s), want %s", limit.beyond, err, schema.Remedy(err), limit.says)
		}
	}
}
