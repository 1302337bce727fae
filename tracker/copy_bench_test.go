package tracker

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// BenchmarkMerge copies a store of 64 runs into an empty one. Bytes are those of
// the records as stored. What takes the time is to unpack, digest and decode them,
// so the raw ones are reported beside them: value tables of the ring compress
// about fifteenfold.
func BenchmarkMerge(b *testing.B) {
	for _, bench := range []struct {
		name string
		run  int // equal values in a row
	}{
		{"noise", 1},
		{"tables", 8},
	} {
		b.Run(bench.name, func(b *testing.B) {
			from, raw := benchmarkStore(b, bench.run)
			dir, n := b.TempDir(), 0
			for b.Loop() {
				n++
				to := New(filepath.Join(dir, fmt.Sprint(n)), Options{})
				ok(b, to.Create(b.Context()))
				copied, err := Copy(b.Context(), from, to, Copying{})
				ok(b, err)
				equal(b, "new runs", outcomes(copied), "64 new")
				b.SetBytes(copied.Bytes)
			}
			b.ReportMetric(float64(raw)*float64(n)/b.Elapsed().Seconds()/1e6, "raw-MB/s")
		})
	}
}

// benchmarkStore has runs of 4 iterations of 24 tables of 4096 values each.
func benchmarkStore(b *testing.B, equal int) (s *Store, raw int) {
	b.Helper()
	s, _ = fresh(b)
	w := s.Writer(b.Context())
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(64) {
		rw, st := acquire(b, w, seed, 4)
		link := st.Run.ID
		for k := range 4 {
			var records [][]byte
			for range 24 {
				x := make(schema.Value, 4096)
				for s := range x {
					if x[s] = float64(r.Int64N(1 << 40)); s%equal > 0 {
						x[s] = x[s-1]
					}
				}
				record := encoded(b, x)
				records = append(records, record)
				raw += len(record)
			}
			link = chain(b, rw, k, link, schema.KindValue, records...)
		}
		rw.Release(nil)
	}
	ok(b, w.Close(b.Context()))
	return s, raw
}
