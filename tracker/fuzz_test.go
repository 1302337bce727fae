package tracker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// rowTypes has a function for each bucket that decodes a row's value and encodes it again.
var rowTypes = map[string]func(value []byte) ([]byte, error){
	rows.BucketPodtrack:    podtrackAgain,
	rows.BucketRuns:        validateAgain,
	rows.BucketOrder:       refAgain,
	rows.BucketCheckpoints: again[Checkpoint],
	rows.BucketLeases:      again[Lease],
	rows.BucketAnnotations: annotationAgain,
	rows.BucketTags:        again[rows.Tag],
	rows.BucketCosts:       again[Cost],
	rows.BucketSessions:    again[Session],
	rows.BucketKeeps:       keepAgain,
	rows.BucketIterations:  iterationAgain,
}

func again[T any](value []byte) ([]byte, error) {
	v, err := rows.Decode[T]("", nil, value)
	if err != nil {
		return nil, err
	}
	return sure(wire.Marshal(v))
}

// refAgain decodes a reference without reflection, and with it.
func refAgain(value []byte) ([]byte, error) {
	key := rows.NumberKey(1)
	run, err := rows.DecodeRef(rows.BucketOrder, key, rows.AppendChecksum(rows.BucketOrder, key, value))
	return sameAgain(value, struct {
		Run schema.Digest `cbor:"run"`
	}{run}, err)
}

// annotationAgain decodes an annotation without reflection, and with it.
func annotationAgain(value []byte) ([]byte, error) {
	a, err := rows.DecodeFast(rows.BucketAnnotations, nil, value, (*Annotation).decodeFast)
	return sameAgain(value, a, err)
}

// sameAgain encodes a decoded value, and panics if reflection decodes it otherwise.
func sameAgain[T any](value []byte, v T, err error) ([]byte, error) {
	var same T
	if otherwise := wire.Unmarshal(value,
		&same); (err == nil) != (otherwise == nil) || err == nil && !reflect.DeepEqual(v, same) {
		panic(fmt.Sprintf("%+v, %v and not %+v, %v", v, err, same, otherwise))
	}
	if err != nil {
		return nil, err
	}
	return sure(wire.Marshal(v))
}

// sure returns v, and panics on an error, for calls that cannot fail with a decoded value.
func sure(b []byte, err error) ([]byte, error) {
	if err != nil {
		panic(err)
	}
	return b, nil
}

// validateAgain validates a run's row, too.
func validateAgain(value []byte) ([]byte, error) {
	row, err := rows.Decode[runRow](rows.BucketRuns, nil, value)
	run := Run{Spec: row.Spec, Start: row.Start, Number: row.Number, Ancestors: row.Ancestors}
	if err == nil {
		run.ID, _ = schema.RunID(row.Spec, row.Start)
	}
	var specs runset.SpecCache
	for range 2 { // of a form that is new, and that is known
		same, otherwise := decodeRun(nil, value, &specs)
		if (err == nil) != (otherwise == nil) || err == nil && !reflect.DeepEqual(run, same) {
			panic(fmt.Sprintf("%+v, %v and not %+v, %v", run, err, same, otherwise))
		}
	}
	if err != nil {
		return nil, err
	}
	for _, done := range []int{0, 1, math.MaxInt32} {
		_ = run.Validate(done)
		_ = run.SpecAt(done)
		_, _ = run.PreviousLink(done, schema.Digest{})
	}
	return sure(wire.Marshal(row))
}

func keepAgain(value []byte) ([]byte, error) {
	k, err := rows.Decode[Retention](rows.BucketKeeps, nil, value)
	if err != nil {
		return nil, err
	}
	_ = k.Validate()
	return sure(wire.Marshal(k))
}

func iterationAgain(value []byte) ([]byte, error) {
	key := rows.PartKey(schema.Digest{}, 0)
	it, err := rows.DecodeIteration(key, rows.AppendChecksum(rows.BucketIterations, key, value))
	if err != nil {
		return nil, err
	}
	entries, err := sure(wire.Marshal(it.Records))
	return append(it.Link[:], entries...), err
}

// FuzzRow: a value of any bucket that decodes is encoded to the same bytes, and is not too large
// for readers.
func FuzzRow(f *testing.F) {
	s, _, _ := NewStoreWithRun(f, "a record")
	ok(f, s.View(f.Context(), func(tx *Tx) error {
		for bucket := range rowTypes {
			for _, row := range tx.rows.WithPrefix(bucket, nil) {
				f.Add(bucket, bytes.Clone(row[:len(row)-rows.SumSize]))
			}
		}
		return nil
	}))
	f.Add(rows.BucketKeeps, []byte("\xa2\x64last\x01\x65kinds\x80"))
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

// FuzzOpen: however a store's file is changed, a reading transaction ends, and a writing one ends
// with a file of valid structure or an error.
func FuzzOpen(f *testing.F) {
	s, _, _ := NewStoreWithRun(f, "a record")
	base := ReadFile(f, s.path)
	f.Add([]byte{})
	f.Add([]byte{0, 0, 32, 200, 0, 64, 32, 200})
	f.Add([]byte{0, 128, 8, 1, 0, 128, 10, 9, 1, 0, 16, 3})
	store := New(filepath.Join(f.TempDir(), "podtrack.db"), Options{})
	f.Fuzz(func(t *testing.T, edits []byte) {
		ok(t, os.WriteFile(store.path, edited(base, edits), 0o600))
		_ = store.View(t.Context(), readAll)
		store.verified.Store(nil) // it is another file
		err := store.Update(t.Context(), func(tx *Tx) error {
			for run := range tx.Runs() {
				_ = tx.SetNote(run.ID, "seen")
			}
			return nil
		})
		if errors.Is(err, ErrLocked) {
			t.Fatal("the transaction that read keeps the file locked")
		}
		if err != nil {
			return
		}
		content := ReadFile(t, store.path)
		file, err := pages.Open(bytes.NewReader(content), int64(len(content)))
		ok(t, err)
		err = file.Traverse(pages.TraverseOptions{Shallow: []string{rows.BucketRecords}})
		ok(t, err)
	})
}

// edited changes single bytes, each given by three bytes of offset and one of value, and makes the
// meta pages valid again.
func edited(base, edits []byte) []byte {
	b := bytes.Clone(base)
	for ; len(edits) >= 4; edits = edits[4:] {
		b[int(binary.BigEndian.Uint32(edits)>>8)%len(b)] = edits[3]
	}
	for _, at := range []int{16, 16<<10 + 16} {
		sum := fnv.New64a()
		_, _ = sum.Write(b[at : at+56])
		binary.NativeEndian.PutUint64(b[at+56:], sum.Sum64())
	}
	return b
}

// readAll reads everything that is readable in a damaged store.
func readAll(tx *Tx) error {
	for run := range tx.Runs() {
		_, _ = tx.ReadAnnotation(run.ID)
		its, _ := tx.ReadIterations(run.ID)
		for _, it := range its {
			for _, e := range it.Records {
				_, _ = tx.ReadRecord(e.Name)
			}
		}
	}
	return nil
}

func podtrackAgain(value []byte) ([]byte, error) {
	return again[struct {
		Format uint64 `cbor:"format"`
	}](value)
}
