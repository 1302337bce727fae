package schematest

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// CheckLimit checks that a value at a limit was accepted, and that the error of one beyond, or its remedy,
// contains says.
func CheckLimit(t *testing.T, name, says string, at, beyond error) {
	t.Helper()
	if at != nil || beyond == nil || !strings.Contains(beyond.Error()+schema.Remedy(beyond), says) {
		t.Errorf("%s: at the limit %v, one beyond %v (%s), want %q", name, at, beyond, schema.Remedy(beyond), says)
	}
}
