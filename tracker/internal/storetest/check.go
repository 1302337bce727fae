package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/merge"
)

// SelectAll makes a check read all records.
var SelectAll = check.Options{Read: func(schema.Digest) bool { return true }}

// Check checks a store that can be opened.
func Check(t testing.TB, s *tracker.Store, o check.Options) check.Report {
	t.Helper()
	found, err := check.Run(t.Context(), s, o)
	OK(t, err)
	return found
}

// FormatDamages returns a line for each damage.
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

// Merge copies all runs to another store.
func Merge(t testing.TB, from, to *tracker.Store) merge.Report {
	t.Helper()
	c, err := merge.Run(context.Background(), from, to, merge.Options{})
	OK(t, err)
	return c
}
