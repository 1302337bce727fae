package tracker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/pages"
)

// newStoreWithBranches makes a store in which the buckets of tags and of records have branches.
func newStoreWithBranches(t *testing.T) (*Store, schema.Digest) {
	t.Helper()
	s, _, _ := newStoreWithRun(t, "record")
	id := runID(t, 1)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		for i := range 500 {
			ok(t, tx.AddTag(id, fmt.Sprintf("tag-%03d", i)))
			record := randomBytes(300, uint64(i))
			stored := append([]byte{codec.Raw}, binary.AppendUvarint(nil, 300)...)
			ok(t, tx.appendRecord(schema.Name(record), append(stored, record...)))
		}
		return nil
	}))
	return s, id
}

// branchOf returns the page of a branch of the bucket, and its first child.
func branchOf(t *testing.T, b []byte, bucket string) (page, child uint64, pageSize uint64) {
	t.Helper()
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	_, err = f.Traverse(pages.TraverseOptions{Bucket: bucket, Visit: func(e pages.Element) error {
		child = e.Page
		return errSliceOver
	}})
	wantErr(t, err, errSliceOver)
	size := uint64(f.PageSize)
	for page := uint64(2); page < f.End; page++ {
		at := page * size
		if b[at+8] == 1 && binary.NativeEndian.Uint64(b[at+24:]) == child {
			return page, child, size
		}
	}
	t.Fatalf("no branch leads to page %d", child)
	return 0, 0, 0
}

// TestAPageThatLeadsToItself: such a page hangs bbolt. Readers get an error, and writers get it
// before anything is written.
func TestAPageThatLeadsToItself(t *testing.T) {
	s, id := newStoreWithBranches(t)
	good := readFile(t, s.path)
	page, _, size := branchOf(t, good, bucketTags)
	bad := bytes.Clone(good)
	binary.NativeEndian.PutUint64(bad[page*size+24:], page)
	ok(t, os.WriteFile(s.path, bad, 0o600))

	wantErr(t, s.View(t.Context(), func(tx *Tx) error { _, err := tx.ReadTags(id); return err }), ErrDamaged)
	ok(t, s.View(t.Context(), func(tx *Tx) error { _, err := tx.ReadRun(id); return err })) // is elsewhere
	wantErr(t, secondStore(s).Update(t.Context(), func(*Tx) error { return nil }), ErrNotStore)
	found := formatDamages(checkStore(t, s, CheckOptions{}))
	if len(found) == 0 || !strings.Contains(found[0], "structure: tags: page ") {
		t.Errorf("found %q", found)
	}
	if !bytes.Equal(bad, readFile(t, s.path)) {
		t.Error("the file was changed")
	}
}

// TestALeafOfRecordsThatIsABranch: the page refers to itself. Leaves of records are not checked
// before a write but on the path to a record.
func TestALeafOfRecordsThatIsABranch(t *testing.T) {
	s, _ := newStoreWithBranches(t)
	good := readFile(t, s.path)
	page, _, size := branchOf(t, good, bucketRecords)
	child := binary.NativeEndian.Uint64(good[page*size+40:]) // the second: the first leaf is walked
	bad := bytes.Clone(good)
	leaf := bad[child*size : (child+1)*size]
	seq := bytes.Clone(leaf[16+binary.NativeEndian.Uint32(leaf[20:]):][:8])
	name := schema.Name(randomBytes(300, binary.BigEndian.Uint64(seq)-2))
	binary.NativeEndian.PutUint16(leaf[8:], 1)  // a branch
	binary.NativeEndian.PutUint16(leaf[10:], 1) // of one child
	binary.NativeEndian.PutUint32(leaf[16:], 16)
	binary.NativeEndian.PutUint32(leaf[20:], 8)
	binary.NativeEndian.PutUint64(leaf[24:], child)
	copy(leaf[32:], seq)
	ok(t, os.WriteFile(s.path, bad, 0o600))

	for what, fn := range map[string]func(*Tx) error{
		"read": func(tx *Tx) error { _, err := tx.ReadRecord(name); return err },
		"size": func(tx *Tx) error { _, _, err := tx.RecordSizes(name); return err },
		"drop": func(tx *Tx) error { _, err := tx.deleteRecord(name); return err },
		"mend": func(tx *Tx) error { return tx.putStored(seq, []byte("record")) },
		"first": func(tx *Tx) error {
			for range tx.rowsWithPrefix(bucketRecords, nil) {
			}
			return nil
		},
	} {
		if err := secondStore(s).Update(t.Context(), fn); err == nil || !strings.Contains(err.Error(),
			"the file's structure") {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantErr(t, s.View(t.Context(), func(tx *Tx) error { _, err := tx.ReadRecord(name); return err }), ErrDamaged)
	if found := checkStore(t, s, CheckOptions{}); found.Intact() {
		t.Error("check found nothing")
	}
}

// TestAFreePageInUse: such a page would be overwritten.
func TestAFreePageInUse(t *testing.T) {
	s, _ := newStoreWithBranches(t)
	b := readFile(t, s.path)
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	page, _, size := branchOf(t, b, bucketTags)
	list := b[f.Freelist*size:]
	binary.NativeEndian.PutUint16(list[10:], 1)
	binary.NativeEndian.PutUint64(list[16:], page)
	ok(t, os.WriteFile(s.path, b, 0o600))
	err = secondStore(s).Update(t.Context(), func(*Tx) error { return nil })
	wantErr(t, err, ErrNotStore)
	if !strings.Contains(err.Error(), "it is in use and free") || schema.Remedy(err) == "" {
		t.Errorf("%v", err)
	}
	ok(t, s.View(t.Context(), func(*Tx) error { return nil }))
}
