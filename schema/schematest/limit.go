package schematest

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// CheckLimit checks that what a limit allows is accepted, and one more is refused with an error that says, itself or
// in its remedy, what is expected.
func CheckLimit(t *testing.T, name, says string, at, beyond error) {
	t.Helper()
	if at != nil || beyond == nil || !strings.Contains(beyond.Error()+schema.Remedy(beyond), says) {
		t.Errorf("%s: at the limit %v, one beyond %v (%s), want %q", name, at, beyond, schema.Remedy(beyond), says)
	}
}
