package compare

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestDrawsLimit: a number at a limit is accepted, and one beyond is refused by an error that names both.
func TestDrawsLimit(t *testing.T) {
	draws := func(n string) error {
		_, err := parseDraws(&n)
		return err
	}
	for at, beyond := range map[string]string{"1": "0", "1000000": "1000001"} {
		if err := draws(at); err != nil {
			t.Errorf("%s draws: %v", at, err)
		}
		if err := draws(beyond); err == nil || !strings.Contains(err.Error(), beyond) ||
			!strings.Contains(schema.Remedy(err), "1 to 1000000") {
			t.Errorf("%s draws: %v", beyond, err)
		}
	}
}
