package check_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// BenchmarkCheck checks the rows of such a store, and its records.
func BenchmarkCheck(b *testing.B) {
	s, _ := StoreOfRings.Make(b)
	s = tracker.New(s.Path(), tracker.Options{}) // with a clock: its transactions are timed
	for _, read := range []bool{false, true} {
		b.Run(fmt.Sprintf("read=%v", read), func(b *testing.B) {
			for b.Loop() {
				c, err := check.Run(b.Context(), s, check.Options{Read: func(schema.Digest) bool { return read }})
				OK(b, err)
				Equal(b, "damages", len(c.Damaged), 0)
			}
		})
	}
}

// BenchmarkCheckForks checks chains of forks. Each fork has rows of all its shared iterations, so
// the rows of a chain grow with the square of its forks. It reports the time per row.
func BenchmarkCheckForks(b *testing.B) {
	for _, n := range []int{125, 250, 500} {
		b.Run(fmt.Sprintf("forks=%d", n), func(b *testing.B) {
			s := ChainOfForks(b, filepath.Join(b.TempDir(), "forks.db"), n)
			rows := 0
			for b.Loop() {
				found, err := check.Run(b.Context(), s, check.Options{})
				OK(b, err)
				Equal(b, "damaged", len(found.Damaged), 0)
				rows = found.Iterations
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(rows), "µs/row")
		})
	}
}
