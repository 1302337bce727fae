package merge_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// BenchmarkMerge copies a store to an empty one. Bytes are those of the stored records. Most of the
// time is spent on unpacking, hashing and checking them, so the raw bytes are reported too: value tables of the ring
// compress about fifteenfold. With small runs rows and lookups dominate.
func BenchmarkMerge(b *testing.B) {
	for _, store := range []struct {
		name string
		benchmarkStore
	}{
		{"noise", benchmarkStore{Runs: 64, Pairs: 12, States: 4096, Period: 4096}},
		{"rings", storeOfRings},
		{"small", benchmarkStore{Runs: 500, Pairs: 10, States: 256, Period: 64}},
	} {
		from, raw := makeStore(b, store.benchmarkStore)
		b.Run("of="+store.name, func(b *testing.B) {
			dir, n := b.TempDir(), 0
			for b.Loop() {
				n++
				to := tracker.New(filepath.Join(dir, fmt.Sprint(n)), tracker.Options{})
				OK(b, to.Create(b.Context()))
				copied, err := merge.Run(b.Context(), from, to, merge.Options{})
				OK(b, err)
				Equal(b, "new runs", outcomes(copied), fmt.Sprint(store.Runs, " new"))
				b.SetBytes(copied.Bytes)
			}
			b.ReportMetric(float64(raw)*float64(n)/b.Elapsed().Seconds()/1e6, "raw-MB/s")
		})
	}
}

// A benchmarkStore is a store of runs of 4 iterations, each with Pairs pairs of a value table and an option, which
// repeat after Period states.
type benchmarkStore struct{ Runs, Pairs, States, Period int }

// storeOfRings is a store of runs on a ring of about 12 bits.
var storeOfRings = benchmarkStore{Runs: 64, Pairs: 24, States: 4096, Period: 256}

// makeStore makes a store, and returns the bytes of its records, unpacked.
func makeStore(tb *testing.B, b benchmarkStore) (s *tracker.Store, raw int) {
	tb.Helper()
	s, _ = NewStore(tb)
	w := groupcommit.Start(tb.Context(), s)
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(b.Runs) {
		rw, st := Acquire(tb, w, seed, 4)
		link := st.Run.ID
		for k := range 4 {
			var list []schema.Entry
			for range b.Pairs {
				for i, record := range [][]byte{Encoded(tb, drawValue(r, b.States, b.Period)),
					Encoded(tb, drawOption(r, b.States, b.Period))} {
					name, err := rw.Put(record)
					OK(tb, err)
					list = append(list, schema.Entry{Kind: []schema.Kind{schema.KindValue, schema.KindOption}[i],
						Name: name})
					raw += len(record)
				}
			}
			var err error
			link, err = schema.Link(k, link, list)
			OK(tb, err)
			OK(tb, rw.SealIteration(k, schema.Iteration{Link: link, Records: list},
				tracker.Cost{Stages: map[string]int64{"learn": 1}}))
		}
		rw.Release(nil)
	}
	OK(tb, w.Close(tb.Context()))
	return s, raw
}
