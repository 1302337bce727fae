package tracker

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// FuzzUnpack: whatever a stored record is, unpacking it ends, in the memory that
// its length allows, and what comes out is what is packed again.
func FuzzUnpack(f *testing.F) {
	c, err := newCodec(2)
	ok(f, err)
	for _, record := range [][]byte{{}, []byte("raw"), bytes.Repeat([]byte("zstd"), 1000), make([]byte, 1<<20)} {
		stored, err := c.pack(record)
		ok(f, err)
		f.Add(stored)
	}
	f.Add([]byte{codecZstd, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x28, 0xb5, 0x2f, 0xfd})
	f.Add([]byte{codecRaw, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, stored []byte) {
		if len(stored) > 4<<10 {
			return // it may take 128 MB as it is
		}
		raw, err := c.unpack(stored)
		if err != nil {
			return
		}
		if len(raw) > maxExpansion*len(stored) {
			t.Fatalf("%d bytes out of %d", len(raw), len(stored))
		}
		again, err := c.pack(raw)
		ok(t, err)
		if back, err := c.unpack(again); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("packed again it is another record: %v", err)
		}
	})
}

// rowTypes decode a row's value and encode it again, by bucket.
var rowTypes = map[string]func(value []byte) ([]byte, error){
	bucketPodtrack:    again[formatRow],
	bucketRuns:        soundAgain,
	bucketOrder:       again[runRef],
	bucketCheckpoints: again[Checkpoint],
	bucketLeases:      again[Lease],
	bucketAnnotations: again[Annotation],
	bucketTags:        again[tagRow],
	bucketCosts:       again[Cost],
	bucketSessions:    again[Session],
	bucketKeeps:       keepAgain,
	bucketIterations:  iterationAgain,
}

func again[T any](value []byte) ([]byte, error) {
	v, err := decodeRow[T]("", nil, value)
	if err != nil {
		return nil, err
	}
	return sure(schema.Marshal(v))
}

// sure is for what cannot fail after something was decoded.
func sure(b []byte, err error) ([]byte, error) {
	if err != nil {
		panic(err)
	}
	return b, nil
}

// soundAgain looks at what a run's row says, too.
func soundAgain(value []byte) ([]byte, error) {
	row, err := decodeRow[runRow](bucketRuns, nil, value)
	if err != nil {
		return nil, err
	}
	run := Run{Spec: row.Spec, Start: row.Start, Ancestors: row.Ancestors}
	for _, done := range []int{0, 1, math.MaxInt32} {
		_ = run.sound(done)
		_ = run.Made(done)
		_, _ = run.Previous(done, schema.Digest{})
	}
	return sure(schema.Marshal(row))
}

func keepAgain(value []byte) ([]byte, error) {
	k, err := decodeRow[Keep](bucketKeeps, nil, value)
	if err != nil {
		return nil, err
	}
	if k.valid() == nil {
		ok := k.unfinished()
		if err := ok.valid(); err != nil {
			panic(err)
		}
	}
	return sure(schema.Marshal(k))
}

func iterationAgain(value []byte) ([]byte, error) {
	key := partKey(schema.Digest{}, 0)
	it, err := decodeIteration(key, append(bytes.Clone(value), checksum(bucketIterations, key, value)...))
	if err != nil {
		return nil, err
	}
	entries, err := sure(schema.Marshal(it.Records))
	return append(it.Link[:], entries...), err
}

// FuzzRow: the value of a row of any bucket that is decoded is what is encoded
// again, and nothing that it says is too much for who reads it.
func FuzzRow(f *testing.F) {
	s, _, _ := filled(f, "a record")
	ok(f, s.View(f.Context(), func(tx *Tx) error {
		for bucket := range rowTypes {
			for _, row := range tx.within(bucket, nil) {
				f.Add(bucket, bytes.Clone(row[:len(row)-sumSize]))
			}
		}
		return nil
	}))
	f.Add(bucketKeeps, []byte("\xa2\x64last\x01\x65kinds\x80"))
	f.Fuzz(func(t *testing.T, bucket string, value []byte) {
		decode := rowTypes[bucket]
		if decode == nil {
			return
		}
		if back, err := decode(value); err == nil && !bytes.Equal(back, value) {
			t.Fatalf("%x of %s is encoded as %x", value, bucket, back)
		}
	})
}

// FuzzPreflight: whatever a file is, looking at it before bbolt does ends, and
// what passes has the pages that its meta page speaks of.
func FuzzPreflight(f *testing.F) {
	s, _, _ := filled(f, "a record")
	f.Add(readFile(f, s.path)[:2*pageSize])
	f.Add([]byte{})
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, content []byte) {
		ok(t, os.WriteFile(path, content, 0o600))
		file, err := os.Open(path)
		ok(t, err)
		defer file.Close()
		if New(path, Options{}).preflight(file) != nil {
			return
		}
		m, found, err := newestMeta(file, int64(len(content)))
		if err != nil || !found || int64(m.end)*m.pageSize > int64(len(content)) {
			t.Fatalf("%+v of %d bytes", m, len(content))
		}
	})
}
