package tracker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/codec"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// newStoreWithBranches makes a store in which the buckets of tags and of records have branches.
func newStoreWithBranches(t *testing.T) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _, _ := NewStoreWithRun(t, "record")
	id := RunID(t, 1)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for i := range 500 {
			OK(t, tx.AddTag(id, fmt.Sprintf("tag-%03d", i)))
			record := RandomBytes(300, uint64(i))
			stored := append([]byte{codec.Raw}, binary.AppendUvarint(nil, 300)...)
			OK(t, tx.Rows().AppendRecord(schema.Name(record), append(stored, record...)))
		}
		return nil
	}))
	return s, id
}

var errFound = errors.New("found")

// branchOf returns the page of a branch of the bucket, and its first child.
func branchOf(t *testing.T, b []byte, bucket string) (page, child uint64, pageSize uint64) {
	t.Helper()
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	OK(t, err)
	err = f.Traverse(pages.TraverseOptions{Bucket: bucket, Visit: func(e pages.Element) error {
		child = e.Page
		return errFound
	}})
	WantErr(t, err, errFound)
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
	good := ReadFile(t, s.Path())
	page, _, size := branchOf(t, good, rows.BucketTags)
	bad := bytes.Clone(good)
	binary.NativeEndian.PutUint64(bad[page*size+24:], page)
	OK(t, os.WriteFile(s.Path(), bad, 0o600))

	WantErr(t, s.View(t.Context(), func(tx *tracker.Tx) error { _, err := tx.ReadTags(id); return err }),
		tracker.ErrDamaged)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error { _, err := tx.ReadRun(id); return err })) // is elsewhere
	WantErr(t, SecondStore(s).Update(t.Context(), func(*tracker.Tx) error { return nil }), tracker.ErrNotStore)
	found := FormatDamages(Check(t, s, check.Options{}))
	if len(found) == 0 || !strings.Contains(found[0], "structure: tags: page ") {
		t.Errorf("found %q", found)
	}
	if !bytes.Equal(bad, ReadFile(t, s.Path())) {
		t.Error("the file was changed")
	}
}

// TestALeafOfRecordsThatIsABranch: the page refers to itself. Before a write, leaves of records are checked only on the
// path to a record.
func TestALeafOfRecordsThatIsABranch(t *testing.T) {
	s, _ := newStoreWithBranches(t)
	good := ReadFile(t, s.Path())
	page, _, size := branchOf(t, good, rows.BucketRecords)
	child := binary.NativeEndian.Uint64(good[page*size+40:]) // the second: the first leaf is walked
	bad := bytes.Clone(good)
	leaf := bad[child*size : (child+1)*size]
	seq := bytes.Clone(leaf[16+binary.NativeEndian.Uint32(leaf[20:]):][:8])
	name := schema.Name(RandomBytes(300, binary.BigEndian.Uint64(seq)-2))
	binary.NativeEndian.PutUint16(leaf[8:], 1)  // a branch
	binary.NativeEndian.PutUint16(leaf[10:], 1) // of one child
	binary.NativeEndian.PutUint32(leaf[16:], 16)
	binary.NativeEndian.PutUint32(leaf[20:], 8)
	binary.NativeEndian.PutUint64(leaf[24:], child)
	copy(leaf[32:], seq)
	OK(t, os.WriteFile(s.Path(), bad, 0o600))

	for what, fn := range map[string]func(*tracker.Tx) error{
		"read": func(tx *tracker.Tx) error { _, err := tx.ReadRecord(name); return err },
		"size": func(tx *tracker.Tx) error { _, _, err := tx.RecordSizes(name); return err },
		"drop": func(tx *tracker.Tx) error { _, err := tx.Rows().DeleteRecord(name); return err },
		"mend": func(tx *tracker.Tx) error { return tx.Rows().PutStored(seq, []byte("record")) },
		"first": func(tx *tracker.Tx) error {
			for range tx.Rows().WithPrefix(rows.BucketRecords, nil) {
			}
			return nil
		},
	} {
		if err := SecondStore(s).Update(t.Context(), fn); err == nil || !strings.Contains(err.Error(),
			"the file's structure") {
			t.Errorf("%s: %v", what, err)
		}
	}
	WantErr(t, s.View(t.Context(), func(tx *tracker.Tx) error { _, err := tx.ReadRecord(name); return err }),
		tracker.ErrDamaged)
	if found := Check(t, s, check.Options{}); found.Intact() {
		t.Error("check found nothing")
	}
}

// TestAFreePageInUse: such a page would be overwritten.
func TestAFreePageInUse(t *testing.T) {
	s, _ := newStoreWithBranches(t)
	b := ReadFile(t, s.Path())
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	OK(t, err)
	page, _, size := branchOf(t, b, rows.BucketTags)
	list := b[f.Freelist*size:]
	binary.NativeEndian.PutUint16(list[10:], 1)
	binary.NativeEndian.PutUint64(list[16:], page)
	OK(t, os.WriteFile(s.Path(), b, 0o600))
	err = SecondStore(s).Update(t.Context(), func(*tracker.Tx) error { return nil })
	WantErr(t, err, tracker.ErrNotStore)
	if !strings.Contains(err.Error(), "it is in use and in the freelist") || schema.Remedy(err) == "" {
		t.Errorf("%v", err)
	}
	OK(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }))
}
