package tracker_test

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/gc"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// BenchmarkUsage measures what takes space in a store of many runs, beside a check that reads every record of it.
func BenchmarkUsage(b *testing.B) {
	s := NewStoreOfManyRuns(b, filepath.Join(b.TempDir(), "podtrack.db"), 5000, 8)
	b.Run("du", func(b *testing.B) {
		for b.Loop() {
			_, err := gc.MeasureUsage(b.Context(), s, gc.UsageOptions{})
			OK(b, err)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			_, err := check.Run(b.Context(), s, check.Options{Read: func(schema.Digest) bool { return true }})
			OK(b, err)
		}
	})
}
