package show

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestTokenLimit: a token of 16 characters is accepted, and a shorter one is refused by an error that names both.
func TestTokenLimit(t *testing.T) {
	at, beyond := strings.Repeat("a", 16), strings.Repeat("a", 15)
	if _, err := parseToken(&at); err != nil {
		t.Error(err)
	}
	if _, err := parseToken(&beyond); err == nil || !strings.Contains(err.Error(), "15 characters") ||
		!strings.Contains(schema.Remedy(err), "at least 16") {
		t.Errorf("%v (%s)", err, schema.Remedy(err))
	}
}
