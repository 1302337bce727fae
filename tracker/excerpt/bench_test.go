package excerpt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
)

// perIteration is the number of records of an iteration of [listingStream].
const perIteration = 100

// listingStream returns an excerpt of n small records, with their bytes or only with their digests.
// The digests of the latter descend, which is the worst order for an index.
func listingStream(t testing.TB, n int, kept bool) []byte {
	t.Helper()
	items := [][]byte{encoded(t, header{Version: version, Note: []byte{}, Spec: storetest.Spec(1),
		Ancestors: []tracker.Ancestor{}, Iterations: (n + perIteration - 1) / perIteration})}
	var records [][]byte
	item := iterationItem{Kept: []int{}}
	for i := range n {
		name := schema.Digest{}
		binary.BigEndian.PutUint32(name[:], math.MaxUint32-uint32(i))
		if kept {
			record := storetest.Encoded(t, schema.Value{float64(i), 1})
			name, records = schema.Name(record), append(records, record)
			item.Kept = append(item.Kept, len(item.Records))
		}
		item.Records = append(item.Records, schema.Entry{Kind: schema.KindValue, Name: name})
		if len(item.Records) == perIteration || i == n-1 {
			items, item = append(items, encoded(t, item)), iterationItem{Kept: []int{}}
		}
	}
	return pack(t, slices.Concat(items, records)...)
}

// BenchmarkRead reads excerpts of ever more records. The time of one grows with their number and no faster: it is
// reported for each record.
func BenchmarkRead(b *testing.B) {
	for _, kept := range []bool{true, false} {
		for _, n := range []int{5_000, 10_000, 20_000, 40_000} {
			stream := listingStream(b, n, kept)
			b.Run(fmt.Sprintf("kept=%t/records=%d", kept, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					s, _ := storetest.NewStore(b)
					b.StartTimer()
					c, err := Read(b.Context(), bytes.NewReader(stream), s, Options{})
					storetest.OK(b, err)
					storetest.Equal(b, "records", c.Records+c.Others, n)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/record")
			})
		}
	}
}
