package storetest

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
)

// SelectAll selects all records.
var SelectAll = check.Options{Read: func(schema.Digest) bool { return true }}

// Check checks a store that can be opened.
func Check(t testing.TB, s *tracker.Store, o check.Options) check.Report {
	t.Helper()
	found, err := check.Run(t.Context(), s, o)
	OK(t, err)
	return found
}

// Sound ends the test if a store is damaged or has records that no row names.
func Sound(t testing.TB, s *tracker.Store) {
	t.Helper()
	if found := Check(t, s, SelectAll); !found.Intact() || found.Unused > 0 {
		t.Fatalf("%q, %d unused", FormatDamages(found), found.Unused)
	}
}

// FormatDamages formats damages as one line each.
func FormatDamages(found check.Report) (lines []string) {
	for _, d := range found.Damaged {
		line := d.Kind + ": " + d.Why
		if d.K != nil {
			line = fmt.Sprintf("%d %s", *d.K, line)
		}
		if d.Digest != nil {
			line = "record " + line
		}
		if d.Run != nil {
			line = "run " + line
		}
		lines = append(lines, line)
	}
	return lines
}
