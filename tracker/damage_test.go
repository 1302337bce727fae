package tracker

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
	"github.com/podtrack/podtrack/tracker/codec"
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
		raw(t, s.path, func(btx *bbolt.Tx) error {
			seq := btx.Bucket([]byte(rows.BucketDigests)).Get(name[:])
			stored := append(binary.AppendUvarint([]byte{codec.Zstd}, declared), bomb[:20000]...)
			if declared != codec.MaxRecord {
				stored = append(binary.AppendUvarint([]byte{codec.Zstd}, declared), bomb...)
			}
			return btx.Bucket([]byte(rows.BucketRecords)).Put(seq, stored)
		})
		ok(t, s.View(t.Context(), func(tx *Tx) error {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := tx.ReadRecord(name)
			runtime.ReadMemStats(&after)
			wantErr(t, err, ErrDamaged)
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
	ok(t, err)
	block := make([]byte, 1<<20)
	for range size / len(block) {
		_, err := z.Write(block)
		ok(t, err)
	}
	ok(t, z.Close())
	return b.Bytes()
}

// TestFlippedByteIsDamage flips a byte of the file where the marker is.
func TestFlippedByteIsDamage(t *testing.T) {
	const marker = "a marker that zstd leaves alone"
	cases := []struct {
		name string
		mark func(t *testing.T, s *Store) // writes the marker into the file
		read func(tx *Tx) error
		says string
	}{
		{"record", func(*testing.T, *Store) {}, func(tx *Tx) error {
			_, err := tx.ReadRecord(schema.Name([]byte(marker)))
			return err
		}, schema.Name([]byte(marker)).String()},
		{"row", func(t *testing.T, s *Store) {
			ok(t, s.Update(t.Context(), func(tx *Tx) error {
				return tx.SetNote(RunID(t, 1), marker+" note")
			}))
		}, func(tx *Tx) error {
			_, err := tx.ReadAnnotation(RunID(t, 1))
			return err
		}, "annotations"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _, _ := NewStoreWithRun(t, marker)
			c.mark(t, s)
			look := func() error { return s.View(t.Context(), c.read) }
			ok(t, look())
			b := ReadFile(t, s.path)
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
			ok(t, os.WriteFile(s.path, b, 0o600))
			err := look()
			wantErr(t, err, ErrDamaged)
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
		read   func(*Tx) error
	}{
		{rows.BucketRuns, id[:], func(tx *Tx) error { _, err := tx.ReadRun(id); return err }},
		{rows.BucketOrder, rows.NumberKey(1), func(tx *Tx) error { _, err := tx.Resolve("@1"); return err }},
		{rows.BucketIterations, rows.PartKey(id, 0), func(tx *Tx) error { _, _, err := tx.ReadHead(id); return err }},
		{rows.BucketIterations, rows.PartKey(id, 0),
			func(tx *Tx) error { _, err := tx.ReadIteration(id, 0); return err }},
		{rows.BucketAnnotations, id[:], func(tx *Tx) error { _, err := tx.ReadStatus(id); return err }},
		{rows.BucketCosts, rows.PartKey(id, 0), func(tx *Tx) error { _, err := tx.ReadCost(id, 0); return err }},
	}
	rollback := func(tx *Tx) error { return os.ErrInvalid }
	for _, row := range rows {
		wantErr(t, s.Update(t.Context(), func(tx *Tx) error {
			good := bytes.Clone(tx.rows.Bucket(row.bucket).Get(row.key))
			ok(t, row.read(tx))
			for bit := range 8 * len(good) {
				bad := bytes.Clone(good)
				bad[bit/8] ^= 1 << (bit % 8)
				ok(t, tx.rows.Bucket(row.bucket).Put(row.key, bad))
				wantErr(t, row.read(tx), ErrDamaged)
			}
			for n := range len(good) {
				ok(t, tx.rows.Bucket(row.bucket).Put(row.key, good[:n]))
				wantErr(t, row.read(tx), ErrDamaged)
			}
			return rollback(tx)
		}), os.ErrInvalid)
	}
}

func TestAGapInTheIterationsIsDamage(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, StartWriter(t.Context(), s))
	r, _ := Acquire(t, w, 1, 3)
	for k := range 3 {
		Iterate(t, r, k, "record")
	}
	ok(t, w.Flush(t.Context()))
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		its, err := tx.ReadIterations(r.ID())
		ok(t, err)
		equal(t, "iterations", len(its), 3)
		ok(t, tx.rows.Remove(rows.BucketIterations, rows.PartKey(r.ID(), 1)))
		_, err = tx.ReadIterations(r.ID())
		wantErr(t, err, ErrDamaged)
		return nil
	}))
}

func TestRestore(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	spoil := map[string]func(tx *Tx, seq []byte) error{
		"nothing":      func(*Tx, []byte) error { return nil },
		"record wrong": func(tx *Tx, seq []byte) error { return tx.rows.PutStored(seq, []byte{0, 1, 'x'}) },
		"record bad":   func(tx *Tx, seq []byte) error { return tx.rows.PutStored(seq, []byte{9}) },
		"record gone":  func(tx *Tx, seq []byte) error { return tx.rows.Remove(rows.BucketRecords, seq) },
		"index gone":   func(tx *Tx, _ []byte) error { return tx.rows.Remove(rows.BucketDigests, name[:]) },
		"index bad": func(tx *Tx, _ []byte) error {
			return tx.rows.Bucket(rows.BucketDigests).Put(name[:], []byte("?"))
		},
	}
	for what, f := range spoil {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			ok(t, f(tx, bytes.Clone(tx.rows.Bucket(rows.BucketDigests).Get(name[:]))))
			_, err := tx.ReadRecord(name)
			equal(t, what+": readable", err == nil, what == "nothing")
			mended, err := tx.RestoreRecord([]byte("record"))
			ok(t, err)
			equal(t, what+": mended", mended, what != "nothing")
			b, err := tx.ReadRecord(name)
			equal(t, what, string(b), "record")
			return err
		}))
	}
}

// TestFaultBelowIsDamage: a leaf element that points beyond the mapping makes bbolt fault.
func TestFaultBelowIsDamage(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	err := s.RecoverDamage(func() error {
		return s.View(t.Context(), func(*Tx) error {
			_ = new(bbolt.Bucket).Get([]byte("key")) // of no transaction
			return nil
		})
	})
	wantErr(t, err, ErrDamaged)
	ok(t, s.Update(t.Context(), func(*Tx) error { return nil })) // the lock was let go
}

// TestTruncationUnderAReaderIsDamage: a mapped page beyond the end of a truncated file faults.
func TestTruncationUnderAReaderIsDamage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut off there")
	}
	s, _, name := NewStoreWithRun(t, string(RandomBytes(100<<10, 1))) // in pages of its own
	err := s.View(t.Context(), func(tx *Tx) error {
		ok(t, os.Truncate(s.path, 0))
		_, err := tx.ReadRecord(name)
		return err
	})
	wantErr(t, err, ErrDamaged)
	wantErr(t, s.View(t.Context(), func(*Tx) error { return nil }), ErrNotStore)
}

// TestPanicBelowLetsGoOfTheLock: an invalid freelist page makes bbolt panic when it opens the file,
// and again when it rolls a transaction back. Neither may keep the lock.
func TestPanicBelowLetsGoOfTheLock(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	ok(t, err)
	defer f.Close()
	freelist := func() int64 {
		p, err := pages.Open(f, int64(len(ReadFile(t, s.path))))
		ok(t, err)
		return int64(p.Freelist) * p.PageSize
	}
	flags := freelist() + 8
	good := make([]byte, 2)
	_, err = f.ReadAt(good, flags)
	ok(t, err)
	spoil := func(b []byte) { _, err := f.WriteAt(b, flags); ok(t, err) }
	nothing := func(*Tx) error { return nil }

	spoil([]byte{0, 0})
	wantErr(t, s.Update(t.Context(), nothing), ErrNotStore)
	ok(t, s.View(t.Context(), nothing)) // does not need it
	spoil(good)
	ok(t, s.Update(t.Context(), nothing))

	flags = freelist() + 8
	wantErr(t, s.Update(t.Context(), func(*Tx) error { spoil([]byte{0, 0}); return os.ErrInvalid }), os.ErrInvalid)
	spoil(good)
	ok(t, s.Update(t.Context(), nothing))
}
