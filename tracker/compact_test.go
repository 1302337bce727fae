package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/rows"
)

// skipUnlessReplaceable skips a test on systems without compaction.
func skipUnlessReplaceable(t *testing.T) {
	t.Helper()
	if !filelock.CanReplace {
		t.Skip("compaction needs a lock that tells who waits that the file was replaced")
	}
}

func compacted(t testing.TB, s *Store) CompactReport {
	t.Helper()
	c, err := Compact(context.Background(), s, CompactOptions{})
	ok(t, err)
	return c
}

func TestCompactChangesNoContent(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _ := NewStore(t)
	for seed := range uint64(6) {
		Extend(t, s, seed, 4)
	}
	w := StartWriter(t.Context(), s)
	r, _ := Acquire(t, w, 9, 1)
	name, err := r.Put([]byte("open"))
	ok(t, err)
	ok(t, r.SealCheckpoint([]byte("state"), Entries(name)))
	ok(t, w.Close(t.Context()))
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		_, err := RemoveInTx(tx, RunID(t, 0), RunID(t, 3))
		return errors.Join(err, tx.SetName(RunID(t, 1), "one"), tx.AddTag(RunID(t, 1), "tag"))
	}))
	before := Content(t, s)
	c := compacted(t, s)
	if diff := cmp.Diff(before, Content(t, s)); diff != "" {
		t.Fatal(diff)
	}
	equal(t, "records", fmt.Sprint(c.Records), before["rows of records"])
	equal(t, "size", c.After, int64(len(ReadFile(t, s.path))))
	equal(t, "size before", c.After < c.Before, true)
	equal(t, "again", compacted(t, s).After, c.After)
	equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	ok(t, err)
	defer db.Close()
	ok(t, db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Error(err)
		}
		return nil
	}))
}

// TestCompactKeepsSequences: numbers and sequences are not reused after a compaction.
func TestCompactKeepsSequences(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _ := NewStore(t)
	Extend(t, s, 1, 1)
	id := Extend(t, s, 2, 1)
	next := func() (numbers [2]uint64) {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			numbers = [2]uint64{tx.rows.Bolt.Bucket([]byte(rows.BucketOrder)).Sequence(),
				tx.rows.Bolt.Bucket([]byte(rows.BucketRecords)).Sequence()}
			return nil
		}))
		return numbers
	}
	ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := RemoveInTx(tx, id); return err }))
	before := next()
	compacted(t, s)
	equal(t, "sequences", next(), before)
}

func TestCompactLeavesUnusedRecordsBehind(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	var lost schema.Digest
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		lost = schema.Name([]byte("lost"))
		stored, err := (must1(tx.store.Codec())).Pack([]byte("lost"))
		return errors.Join(err, tx.rows.AppendRecord(lost, stored), tx.rows.PutStored(rows.NumberKey(99), stored))
	}))
	c := compacted(t, s)
	equal(t, "unused", c.Unused, 2)
	equal(t, "records", c.Records, 1)
	equal(t, "orphans", UnreferencedRecords(t, s), 0)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.ReadRecord(lost)
		wantErr(t, err, ErrMissing)
		_, err = tx.ReadRecord(name)
		return err
	}))
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestCompactKeepsDamage: a row that cannot be read may name any record, so a compaction keeps
// everything that a repair could use.
func TestCompactKeepsDamage(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	row := []byte("damaged row")
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return errors.Join(tx.rows.Bucket(rows.BucketIterations).Put(rows.PartKey(RunID(t, 1), 0), row),
			tx.rows.Bucket(rows.BucketTags).Put([]byte("damaged"), nil),
			tx.rows.Bucket(rows.BucketDigests).Put([]byte("short"), []byte{1, 2}))
	}))
	c := compacted(t, s)
	equal(t, "unused", c.Unused, 0)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		equal(t, "row", string(tx.rows.Bucket(rows.BucketIterations).Get(rows.PartKey(RunID(t, 1), 0))), string(row))
		equal(t, "place", string(tx.rows.Bucket(rows.BucketDigests).Get([]byte("short"))), "\x01\x02")
		_, err := tx.ReadRecord(name)
		return err
	}))
}

func TestCompactKeepsMode(t *testing.T) {
	skipUnlessReplaceable(t)
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664} {
		s, _, _ := NewStoreWithRun(t, "record")
		ok(t, os.Chmod(s.path, mode))
		compacted(t, s)
		info, err := os.Stat(s.path)
		ok(t, err)
		equal(t, "mode", info.Mode(), mode)
	}
}

// TestNewFilesArePrivate: until it replaces the old file, only its owner can access the new one.
func TestNewFilesArePrivate(t *testing.T) {
	skipUnlessReplaceable(t)
	private := func(path string) {
		t.Helper()
		for path, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			info, err := os.Stat(path)
			ok(t, err)
			equal(t, path, info.Mode().Perm(), mode)
		}
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	r, err := BeginRepair(t.Context(), s, nil)
	ok(t, err)
	private(r.NewStore.Path())
	r.Close()
	looked := false
	_, err = Compact(t.Context(), s, CompactOptions{Progress: func(int64, int64) {
		temps, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), leftoverPattern))
		ok(t, err)
		for _, temp := range temps {
			private(filepath.Join(temp, "content"))
			looked = true
		}
	}})
	ok(t, err)
	equal(t, "looked", looked, true)
}

const leftoverPattern = ".podtrack-temp-*"

func TestCompactFollowsASymbolicLink(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	link := filepath.Join(t.TempDir(), "link.db")
	ok(t, os.Symlink(s.path, link))
	before, err := os.Stat(s.path)
	ok(t, err)
	linked := New(link, Options{})
	compacted(t, linked)
	after, err := os.Stat(s.path)
	ok(t, err)
	equal(t, "another file", os.SameFile(before, after), false)
	info, err := os.Lstat(link)
	ok(t, err)
	equal(t, "a link", info.Mode()&os.ModeSymlink != 0, true)
	equal(t, "files beside it", len(ListFiles(t, linked)), 1)
	ok(t, linked.View(t.Context(), func(tx *Tx) error { _, err := tx.ReadRecord(name); return err }))
}

func TestCompactRefusesHardLinks(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	ok(t, os.Link(s.path, s.path+".second"))
	before := ReadFile(t, s.path)
	_, err := Compact(t.Context(), s, CompactOptions{})
	wantErr(t, err, ErrInvalid)
	if schema.Remedy(err) == "" {
		t.Error("no remedy")
	}
	equal(t, "the file is as it was", bytes.Equal(before, ReadFile(t, s.path)), true)
	equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db podtrack.db.second]")
}

func TestCompactThatFailsLeavesTheStore(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	before := ReadFile(t, s.path)
	stays := func(err, want error) {
		t.Helper()
		wantErr(t, err, want)
		equal(t, "the file is as it was", bytes.Equal(before, ReadFile(t, s.path)), true)
		equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Compact(cancelled, s, CompactOptions{})
	stays(err, context.Canceled)
	hurried := New(s.path, Options{Wait: time.Nanosecond})
	ok(t, s.View(t.Context(), func(*Tx) error {
		_, err := Compact(t.Context(), hurried, CompactOptions{})
		stays(err, ErrLocked)
		return nil
	}))
	_, err = Compact(t.Context(), New(s.path+".none", Options{}), CompactOptions{})
	stays(err, ErrNoStore)
	ok(t, os.WriteFile(s.path, []byte("text"), 0o600))
	before = []byte("text")
	_, err = Compact(t.Context(), s, CompactOptions{})
	stays(err, ErrNotStore)
}
