package pages

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema/schematest"
)

var ok = schematest.Must

// writeFile returns a new file that bbolt wrote.
func writeFile(t testing.TB, pageSize int, commits ...func(*bbolt.Tx) error) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pages.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: pageSize, NoSync: true, Timeout: time.Second})
	ok(t, err)
	for _, commit := range commits {
		ok(t, db.Update(commit))
	}
	ok(t, db.Close())
	b, err := os.ReadFile(path)
	ok(t, err)
	return b
}

// numberedRows puts n rows of that size with ascending keys into a bucket.
func numberedRows(bucket string, n, size int) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte(bucket))
		if err != nil {
			return err
		}
		for i := range n {
			if err := b.Put(fmt.Appendf(nil, "%s %06d", bucket, i), bytes.Repeat([]byte{byte(i)}, size)); err != nil {
				return err
			}
		}
		return nil
	}
}

// newSmallFile makes a file with a tree of three levels, an inline bucket, an empty one, and values
// over several pages.
func newSmallFile(t testing.TB) []byte {
	return writeFile(t, minPageSize, numberedRows("deep", 400, 10), numberedRows("few", 2, 5),
		numberedRows("none", 0, 0),
		numberedRows("large", 3, 5*minPageSize), numberedRows("deep", 100, 12))
}

func open(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	return f
}

// content returns the rows of a file as bucket, key and value.
func content(w TraverseOptions, f *File) (rows []string, err error) {
	w.Visit = func(e Element) error {
		b, err := e.Value.Bytes()
		rows = append(rows, fmt.Sprintf("%s/%s=%x", e.Bucket, e.Key, b))
		return err
	}
	err = f.Traverse(w)
	return rows, err
}

// damages returns the damages that a traversal finds, and the rows besides them.
func damages(f *File) (found []*Damage, rows []string, err error) {
	rows, err = content(TraverseOptions{OnDamage: func(_ string, d *Damage) error {
		found = append(found, d)
		return nil
	}}, f)
	return found, rows, err
}

// onlyDamage fails the test unless err is nil, a Damage or ErrNoMetaPage.
func onlyDamage(t testing.TB, what any, err error) {
	t.Helper()
	var d *Damage
	if err != nil && !errors.As(err, &d) && !errors.Is(err, ErrNoMetaPage) {
		t.Fatalf("%v: %v", what, err)
	}
}
