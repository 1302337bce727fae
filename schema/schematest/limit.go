package schematest

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// Limits are limits of what is accepted, each with the error of a value at it, which is nil, and of the next one.
type Limits []struct {
	Name       string
	Says       string // what the error of the next one or its remedy says; behind " … " what its remedy says
	At, Beyond error
}

// Check checks the errors.
func (l Limits) Check(t *testing.T) {
	t.Helper()
	for _, limit := range l {
		says, remedy, advised := strings.Cut(limit.Says, " … ")
		given := schema.Remedy(limit.Beyond)
		if limit.At != nil || limit.Beyond == nil || !strings.Contains(limit.Beyond.Error()+given, says) ||
			advised && (given == "" || !strings.Contains(given, remedy)) {
			t.Errorf("%s: at the limit %v, one beyond %v (%s), want %q", limit.Name, limit.At, limit.Beyond, given,
				limit.Says)
		}
	}
}
