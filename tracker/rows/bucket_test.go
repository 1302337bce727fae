package rows

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPrevAfterDeletes: a cursor of a writing transaction goes back over leaves that the transaction has emptied.
func TestPrevAfterDeletes(t *testing.T) {
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "file"), 0o600, nil)
	schematest.Must(t, err)
	defer db.Close()
	key := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	schematest.Must(t, db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := range 1000 {
			schematest.Must(t, b.Put(key(i), make([]byte, 100)))
		}
		return err
	}))
	schematest.Must(t, db.Update(func(tx *bbolt.Tx) error {
		b := writeBucket{Bucket: tx.Bucket([]byte("b"))}
		for i := 100; i < 900; i++ {
			schematest.Must(t, b.Delete(key(i)))
		}
		n, c := 0, b.Cursor()
		for key, _ := c.Last(); key != nil; key, _ = c.Prev() {
			n++
		}
		if n != 200 {
			t.Errorf("%d keys backwards, not 200", n)
		}
		return nil
	}))
}
