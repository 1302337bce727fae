package merge_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/merge"
)

// BenchmarkMerge copies a store to an empty one. Bytes are those of the stored records. Most of the
// time is spent on unpacking, hashing and checking them, unless the store is sealed, so the raw
// bytes are reported too: value tables of the ring compress about fifteenfold. With small runs rows
// and lookups dominate.
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
		for _, sealed := range []bool{false, true} {
			b.Run(fmt.Sprintf("of=%s/sealed=%t", store.name, sealed), func(b *testing.B) {
				dir, n := b.TempDir(), 0
				for b.Loop() {
					n++
					to := tracker.New(filepath.Join(dir, fmt.Sprint(n)), tracker.Options{})
					OK(b, to.Create(b.Context()))
					copied, err := merge.Run(b.Context(), from, to, merge.Options{Sealed: sealed})
					OK(b, err)
					Equal(b, "new runs", Outcomes(copied), fmt.Sprint(store.Runs, " new"))
					b.SetBytes(copied.Bytes)
				}
				b.ReportMetric(float64(raw)*float64(n)/b.Elapsed().Seconds()/1e6, "raw-MB/s")
			})
		}
	}
}

// BenchmarkMergeBounds measures on one core what a merge cannot do without: the SHA-256 of the raw
// records, the same after unpacking them, and the check of their form besides. Bytes are those of the
// stored records, so that the rate of as many cores bounds the rate of a merge.
func BenchmarkMergeBounds(b *testing.B) {
	from, _ := StoreOfRings.Make(b)
	var records []verify.Record
	stored := 0
	OK(b, from.View(b.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			OK(b, err)
			its, err := tx.ReadIterations(r.ID)
			OK(b, err)
			for _, it := range its {
				for _, e := range it.Records {
					form, err := tx.Rows().ReadStored(e.Name)
					OK(b, err)
					records = append(records, verify.Record{Entry: e, Stored: bytes.Clone(form)})
					stored += len(form)
				}
			}
		}
		return nil
	}))
	packer, err := from.Codec()
	OK(b, err)
	var mem codec.Scratch
	zeros := make([]byte, 1<<20)
	hash := func(r verify.Record) error { // the record's size is what counts, not its content
		_, size, _, err := codec.Parse(r.Stored)
		schema.Name(zeros[:size])
		return err
	}
	unpack := func(r verify.Record) error {
		_, err := packer.DecodeInto(&mem, r.Entry.Name, r.Stored)
		return err
	}
	check := func(r verify.Record) error {
		raw, err := packer.DecodeInto(&mem, r.Entry.Name, r.Stored)
		if err == nil {
			err = evaluation.CheckRecord(r.Entry.Kind, raw)
		}
		return err
	}
	for _, c := range []struct {
		name string
		do   func(verify.Record) error
	}{{"sha256", hash}, {"unpack", unpack}, {"check", check}} {
		b.Run("do="+c.name, func(b *testing.B) {
			b.SetBytes(int64(stored))
			for b.Loop() {
				for _, r := range records {
					OK(b, c.do(r))
				}
			}
		})
	}
}
