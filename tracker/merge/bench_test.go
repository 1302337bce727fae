package merge_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// BenchmarkMerge copies a store to an empty one. Bytes are those of the stored records. Most of the
// time is spent on unpacking, hashing and checking them, so the raw bytes are reported too: value tables of the ring
// compress about fifteenfold. With small runs rows and lookups dominate.
func BenchmarkMerge(b *testing.B) {
	for _, store := range []struct {
		name string
		BenchmarkStore
	}{
		{"noise", BenchmarkStore{Runs: 64, Pairs: 12, States: 4096, Period: 4096}},
		{"rings", StoreOfRings},
		{"small", BenchmarkStore{Runs: 500, Pairs: 10, States: 256, Period: 64}},
	} {
		from, raw := store.Make(b)
		b.Run("of="+store.name, func(b *testing.B) {
			dir, n := b.TempDir(), 0
			for b.Loop() {
				n++
				to := tracker.New(filepath.Join(dir, fmt.Sprint(n)), tracker.Options{})
				OK(b, to.Create(b.Context()))
				copied, err := merge.Run(b.Context(), from, to, merge.Options{})
				OK(b, err)
				Equal(b, "new runs", Outcomes(copied), fmt.Sprint(store.Runs, " new"))
				b.SetBytes(copied.Bytes)
			}
			b.ReportMetric(float64(raw)*float64(n)/b.Elapsed().Seconds()/1e6, "raw-MB/s")
		})
	}
}
