package faults

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// rowOf returns a copy of a row without its checksum.
func rowOf(t *testing.T, tx *bbolt.Tx, bucket string, key []byte) ([]byte, []byte) {
	t.Helper()
	row := tx.Bucket([]byte(bucket)).Get(key)
	if len(row) < 8 {
		t.Fatalf("no row %x of %s", key, bucket)
	}
	return key, bytes.Clone(row[:len(row)-8])
}

// putRow writes a row with the checksum of FORMAT.md.
func putRow(t *testing.T, tx *bbolt.Tx, bucket string, key, value []byte) {
	t.Helper()
	sum := sha256.Sum256([]byte("podtrack/row/1" + bucket + string(key) + string(value)))
	e2e.Must(t, tx.Bucket([]byte(bucket)).Put(key, append(value, sum[:8]...)))
}

func changeStore(t *testing.T, store string, f func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(store, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(f); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// spoilStore takes every fifth record, one iteration row and all of the order and the
// names out of the store, and returns what is left.
func spoilStore(t *testing.T, store string) []byte {
	t.Helper()
	changeStore(t, store, func(tx *bbolt.Tx) error {
		records, n := tx.Bucket([]byte("records")), 0
		var doomed [][]byte
		for c, key := records.Cursor(), []byte(nil); ; n++ {
			if n == 0 {
				key, _ = c.First()
			} else {
				key, _ = c.Next()
			}
			if key == nil {
				break
			}
			if n%5 == 0 {
				doomed = append(doomed, bytes.Clone(key))
			}
		}
		for _, key := range doomed {
			if err := records.Delete(key); err != nil {
				return err
			}
		}
		c := tx.Bucket([]byte("iterations")).Cursor()
		_, _ = c.First()
		second, _ := c.Next()
		if err := tx.Bucket([]byte("iterations")).Delete(bytes.Clone(second)); err != nil {
			return err
		}
		for _, name := range []string{"order", "names"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	left, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// rewrite copies a store's newest run into another store. change may alter a
// record of iteration k, and spec what the run says that it is; links and
// digests follow.
func rewrite(t *testing.T, from string, spec func(*schema.Spec),
	change func(k int, kind schema.Kind, record []byte) []byte) string {
	t.Helper()
	ctx := context.Background()
	to := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	e2e.Must(t, to.Create(ctx))
	w := groupcommit.Start(ctx, to)
	e2e.Must(t, tracker.New(from, tracker.Options{}).View(ctx, func(tx *tracker.Tx) error {
		run, err := tx.Resolve("@1")
		e2e.Must(t, err)
		its, err := tx.ReadIterations(run.ID)
		e2e.Must(t, err)
		spec(&run.Spec)
		rw, held, err := w.Acquire(ctx, tracker.Claim{Spec: run.Spec, Target: len(its)})
		e2e.Must(t, err)
		link := held.Run.ID
		for k, it := range its {
			for i, e := range it.Records {
				record, err := tx.ReadRecord(e.Name)
				e2e.Must(t, err)
				it.Records[i].Name, err = rw.Put(change(k, e.Kind, record))
				e2e.Must(t, err)
			}
			it.Link, err = schema.Link(k, link, it.Records)
			e2e.Must(t, err)
			link = it.Link
			e2e.Must(t, rw.SealIteration(k, it, tracker.Cost{}))
		}
		return nil
	}))
	e2e.Must(t, w.Close(ctx))
	return to.Path()
}
