package tracker_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

func TestBombIsRefusedInBoundedMemory(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	const size = 256 << 20
	bomb := frameOfZeros(t, size)
	for what, declared := range map[string]uint64{
		"small length": 100, "absurd length": codec.MaxRecord, "its length": size,
	} {
		changeFile(t, s.Path(), func(btx *bbolt.Tx) error {
			seq := btx.Bucket([]byte(rows.BucketDigests)).Get(name[:])
			stored := append(binary.AppendUvarint([]byte{codec.Zstd}, declared), bomb[:20000]...)
			if declared != codec.MaxRecord {
				stored = append(binary.AppendUvarint([]byte{codec.Zstd}, declared), bomb...)
			}
			return btx.Bucket([]byte(rows.BucketRecords)).Put(seq, stored)
		})
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := tx.ReadRecord(name)
			runtime.ReadMemStats(&after)
			WantErr(t, err, tracker.ErrDamaged)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
				t.Errorf("%s: reading the bomb allocated %d bytes", what, grown)
			}
			return nil
		}))
	}
}

// frameOfZeros returns a streamed frame, whose header has no length.
func frameOfZeros(t *testing.T, size int) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	OK(t, err)
	block := make([]byte, 1<<20)
	for range size / len(block) {
		_, err := z.Write(block)
		OK(t, err)
	}
	OK(t, z.Close())
	return b.Bytes()
}

// TestFlippedByteIsDamage flips a byte of the file where the marker is.
func TestFlippedByteIsDamage(t *testing.T) {
	const marker = "a marker that zstd leaves alone"
	cases := []struct {
		name string
		mark func(t *testing.T, s *tracker.Store) // writes the marker into the file
		read func(tx *tracker.Tx) error
		says string
	}{
		{"record", func(*testing.T, *tracker.Store) {}, func(tx *tracker.Tx) error {
			_, err := tx.ReadRecord(schema.Name([]byte(marker)))
			return err
		}, schema.Name([]byte(marker)).String()},
		{"row", func(t *testing.T, s *tracker.Store) {
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
				return tx.SetNote(RunID(t, 1), marker+" note")
			}))
		}, func(tx *tracker.Tx) error {
			_, err := tx.ReadAnnotation(RunID(t, 1))
			return err
		}, "annotations"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _, _ := NewStoreWithRun(t, marker)
			c.mark(t, s)
			look := func() error { return s.View(t.Context(), c.read) }
			OK(t, look())
			b := ReadFile(t, s.Path())
			text := []byte(marker)
			if c.name == "row" {
				text = []byte(marker + " note")
			}
			n := 0
			for at := bytes.Index(b, text); at >= 0; at = bytes.Index(b, text) {
				b[at] ^= 0x20
				n++
			}
			if n == 0 {
				t.Fatal("the marker is not in the file")
			}
			OK(t, os.WriteFile(s.Path(), b, 0o600))
			err := look()
			WantErr(t, err, tracker.ErrDamaged)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not name %s", err, c.says)
			}
		})
	}
}

// TestEveryBitOfARowIsChecked: a row with any bit flipped is not read.
func TestEveryBitOfARowIsChecked(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	id := RunID(t, 1)
	rows := []struct {
		bucket string
		key    []byte
		read   func(*tracker.Tx) error
	}{
		{rows.BucketRuns, id[:], func(tx *tracker.Tx) error { _, err := tx.ReadRun(id); return err }},
		{rows.BucketOrder, rows.NumberKey(1), func(tx *tracker.Tx) error { _, err := tx.Resolve("@1"); return err }},
		{rows.BucketIterations, rows.PartKey(id, 0), func(tx *tracker.Tx) error { _, _, err := tx.ReadHead(id); return err }},
		{rows.BucketIterations, rows.PartKey(id, 0),
			func(tx *tracker.Tx) error { _, err := tx.ReadIteration(id, 0); return err }},
		{rows.BucketAnnotations, id[:], func(tx *tracker.Tx) error { _, err := tx.ReadAnnotation(id); return err }},
		{rows.BucketCosts, rows.PartKey(id, 0), func(tx *tracker.Tx) error { _, err := tx.ReadCost(id, 0); return err }},
	}
	rollback := func(tx *tracker.Tx) error { return os.ErrInvalid }
	for _, row := range rows {
		WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			good := bytes.Clone(tx.Rows().Bucket(row.bucket).Get(row.key))
			OK(t, row.read(tx))
			for bit := range 8 * len(good) {
				bad := bytes.Clone(good)
				bad[bit/8] ^= 1 << (bit % 8)
				OK(t, tx.Rows().Bucket(row.bucket).Put(row.key, bad))
				WantErr(t, row.read(tx), tracker.ErrDamaged)
			}
			for n := range len(good) {
				OK(t, tx.Rows().Bucket(row.bucket).Put(row.key, good[:n]))
				WantErr(t, row.read(tx), tracker.ErrDamaged)
			}
			return rollback(tx)
		}), os.ErrInvalid)
	}
}

func TestAGapInTheIterationsIsDamage(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 3)
	for k := range 3 {
		Iterate(t, r, k, "record")
	}
	OK(t, w.Flush(t.Context()))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(r.ID())
		OK(t, err)
		Equal(t, "iterations", len(its), 3)
		OK(t, tx.Rows().Remove(rows.BucketIterations, rows.PartKey(r.ID(), 1)))
		_, err = tx.ReadIterations(r.ID())
		WantErr(t, err, tracker.ErrDamaged)
		return nil
	}))
}

func TestRestore(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	spoil := map[string]func(tx *tracker.Tx, seq []byte) error{
		"nothing":      func(*tracker.Tx, []byte) error { return nil },
		"record wrong": func(tx *tracker.Tx, seq []byte) error { return tx.Rows().PutStored(seq, []byte{0, 1, 'x'}) },
		"record bad":   func(tx *tracker.Tx, seq []byte) error { return tx.Rows().PutStored(seq, []byte{9}) },
		"record gone":  func(tx *tracker.Tx, seq []byte) error { return tx.Rows().Remove(rows.BucketRecords, seq) },
		"index gone":   func(tx *tracker.Tx, _ []byte) error { return tx.Rows().Remove(rows.BucketDigests, name[:]) },
		"index bad": func(tx *tracker.Tx, _ []byte) error {
			return tx.Rows().Bucket(rows.BucketDigests).Put(name[:], []byte("?"))
		},
	}
	for what, f := range spoil {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			OK(t, f(tx, bytes.Clone(tx.Rows().Bucket(rows.BucketDigests).Get(name[:]))))
			_, err := tx.ReadRecord(name)
			Equal(t, what+": readable", err == nil, what == "nothing")
			mended, err := tx.RestoreStored(name, Unpacked([]byte("record")))
			OK(t, err)
			Equal(t, what+": mended", mended, what != "nothing")
			b, err := tx.ReadRecord(name)
			Equal(t, what, string(b), "record")
			return err
		}))
	}
}

// TestFaultBelowIsDamage: a leaf element that points beyond the mapping makes bbolt fault.
func TestFaultBelowIsDamage(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	err := s.RecoverDamage(func() error {
		return s.View(t.Context(), func(*tracker.Tx) error {
			_ = new(bbolt.Bucket).Get([]byte("key")) // of no transaction
			return nil
		})
	})
	WantErr(t, err, tracker.ErrDamaged)
	OK(t, s.Update(t.Context(), func(*tracker.Tx) error { return nil })) // the lock was released
}

// TestTruncationUnderAReaderIsDamage: a mapped page beyond the end of a truncated file faults.
func TestTruncationUnderAReaderIsDamage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut off there")
	}
	s, _, name := NewStoreWithRun(t, string(RandomBytes(100<<10, 1))) // in pages of its own
	err := s.View(t.Context(), func(tx *tracker.Tx) error {
		OK(t, os.Truncate(s.Path(), 0))
		_, err := tx.ReadRecord(name)
		return err
	})
	WantErr(t, err, tracker.ErrDamaged)
	WantErr(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }), tracker.ErrNotStore)
}

// TestPanicBelowLetsGoOfTheLock: an invalid freelist page makes bbolt panic when it opens the file,
// and again when it rolls a transaction back. Neither may keep the lock.
func TestPanicBelowLetsGoOfTheLock(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	f, err := os.OpenFile(s.Path(), os.O_RDWR, 0)
	OK(t, err)
	defer f.Close()
	freelist := func() int64 {
		p, err := pages.Open(f, int64(len(ReadFile(t, s.Path()))))
		OK(t, err)
		return int64(p.Freelist) * p.PageSize
	}
	flags := freelist() + 8
	good := make([]byte, 2)
	_, err = f.ReadAt(good, flags)
	OK(t, err)
	spoil := func(b []byte) { _, err := f.WriteAt(b, flags); OK(t, err) }
	nothing := func(*tracker.Tx) error { return nil }

	spoil([]byte{0, 0})
	WantErr(t, s.Update(t.Context(), nothing), tracker.ErrNotStore)
	OK(t, s.View(t.Context(), nothing)) // does not need it
	spoil(good)
	OK(t, s.Update(t.Context(), nothing))

	flags = freelist() + 8
	WantErr(t, s.Update(t.Context(), func(*tracker.Tx) error { spoil([]byte{0, 0}); return os.ErrInvalid }), os.ErrInvalid)
	spoil(good)
	OK(t, s.Update(t.Context(), nothing))
}
