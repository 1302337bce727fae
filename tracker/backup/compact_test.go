package backup_test

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
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

func compacted(t testing.TB, s *tracker.Store) backup.CompactReport {
	t.Helper()
	c, err := backup.Compact(context.Background(), s, nil)
	OK(t, err)
	return c
}

func TestCompactChangesNoContent(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _ := NewStore(t)
	for seed := range uint64(6) {
		Extend(t, s, seed, 4)
	}
	w := groupcommit.Start(t.Context(), s)
	r, _ := Acquire(t, w, 9, 1)
	name, err := r.Put([]byte("open"))
	OK(t, err)
	OK(t, r.SealCheckpoint([]byte("state"), Entries(name)))
	OK(t, w.Close(t.Context()))
	_, err = gc.Remove(t.Context(), s, []schema.Digest{RunID(t, 0), RunID(t, 3)})
	OK(t, err)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return errors.Join(tx.SetName(RunID(t, 1), "one"), tx.AddTag(RunID(t, 1), "tag"))
	}))
	before := Content(t, s)
	c := compacted(t, s)
	if diff := cmp.Diff(before, Content(t, s)); diff != "" {
		t.Fatal(diff)
	}
	Equal(t, "records", fmt.Sprint(c.Records), before["rows of records"])
	Equal(t, "size", c.After, int64(len(ReadFile(t, s.Path()))))
	Equal(t, "size before", c.After < c.Before, true)
	Equal(t, "again", compacted(t, s).After, c.After)
	Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	db, err := bbolt.Open(s.Path(), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	OK(t, err)
	defer db.Close()
	OK(t, db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Error(err)
		}
		return nil
	}))
}

// TestCompactKeepsSequences: numbers and sequences are not reused after a compaction.
func TestCompactKeepsSequences(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _ := NewStore(t)
	Extend(t, s, 1, 1)
	id := Extend(t, s, 2, 1)
	next := func() (numbers [2]uint64) {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			numbers = [2]uint64{tx.Rows().Bolt.Bucket([]byte(rows.BucketOrder)).Sequence(),
				tx.Rows().Bolt.Bucket([]byte(rows.BucketRecords)).Sequence()}
			return nil
		}))
		return numbers
	}
	_, err := gc.Remove(t.Context(), s, []schema.Digest{id})
	OK(t, err)
	before := next()
	compacted(t, s)
	Equal(t, "sequences", next(), before)
}

func TestCompactLeavesUnusedRecordsBehind(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	var lost schema.Digest
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		lost = schema.Name([]byte("lost"))
		stored := Unpacked([]byte("lost"))
		return errors.Join(tx.Rows().AppendRecord(lost, stored), tx.Rows().PutStored(rows.NumberKey(99), stored))
	}))
	c := compacted(t, s)
	Equal(t, "unused", c.Unused, 2)
	Equal(t, "records", c.Records, 1)
	Equal(t, "orphans", UnreferencedRecords(t, s), 0)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.ReadRecord(lost)
		WantErr(t, err, tracker.ErrMissing)
		_, err = tx.ReadRecord(name)
		return err
	}))
}

// TestCompactKeepsDamage: a row that cannot be read may name any record, so a compaction keeps
// everything that a repair could use.
func TestCompactKeepsDamage(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	row := []byte("damaged row")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return errors.Join(tx.Rows().Bucket(rows.BucketIterations).Put(rows.PartKey(RunID(t, 1), 0), row),
			tx.Rows().Bucket(rows.BucketTags).Put([]byte("damaged"), nil),
			tx.Rows().Bucket(rows.BucketDigests).Put([]byte("short"), []byte{1, 2}))
	}))
	c := compacted(t, s)
	Equal(t, "unused", c.Unused, 0)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		Equal(t, "row", string(tx.Rows().Bucket(rows.BucketIterations).Get(rows.PartKey(RunID(t, 1), 0))), string(row))
		Equal(t, "place", string(tx.Rows().Bucket(rows.BucketDigests).Get([]byte("short"))), "\x01\x02")
		_, err := tx.ReadRecord(name)
		return err
	}))
}

func TestCompactKeepsMode(t *testing.T) {
	SkipUnlessReplaceable(t)
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664} {
		s, _, _ := NewStoreWithRun(t, "record")
		OK(t, os.Chmod(s.Path(), mode))
		compacted(t, s)
		info, err := os.Stat(s.Path())
		OK(t, err)
		Equal(t, "mode", info.Mode(), mode)
	}
}

// TestNewFilesArePrivate: until it replaces the old file, only its owner can access the new one.
func TestNewFilesArePrivate(t *testing.T) {
	SkipUnlessReplaceable(t)
	private := func(path string) {
		t.Helper()
		for path, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			info, err := os.Stat(path)
			OK(t, err)
			Equal(t, path, info.Mode().Perm(), mode)
		}
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	r, err := repair.Begin(t.Context(), s)
	OK(t, err)
	private(r.NewStore.Path())
	r.Close()
	looked := false
	_, err = backup.Compact(t.Context(), s, func(int64, int64) {
		temps, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), leftoverPattern))
		OK(t, err)
		for _, temp := range temps {
			private(filepath.Join(temp, "content"))
			looked = true
		}
	})
	OK(t, err)
	Equal(t, "looked", looked, true)
}

const leftoverPattern = ".podtrack-temp-*"

func TestCompactFollowsASymbolicLink(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, name := NewStoreWithRun(t, "record")
	link := filepath.Join(t.TempDir(), "link.db")
	OK(t, os.Symlink(s.Path(), link))
	before, err := os.Stat(s.Path())
	OK(t, err)
	linked := tracker.New(link, tracker.Options{})
	compacted(t, linked)
	after, err := os.Stat(s.Path())
	OK(t, err)
	Equal(t, "another file", os.SameFile(before, after), false)
	info, err := os.Lstat(link)
	OK(t, err)
	Equal(t, "a link", info.Mode()&os.ModeSymlink != 0, true)
	Equal(t, "files beside it", len(ListFiles(t, linked)), 1)
	OK(t, linked.View(t.Context(), func(tx *tracker.Tx) error { _, err := tx.ReadRecord(name); return err }))
}

func TestCompactRefusesHardLinks(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	OK(t, os.Link(s.Path(), s.Path()+".second"))
	before := ReadFile(t, s.Path())
	_, err := backup.Compact(t.Context(), s, nil)
	WantErr(t, err, tracker.ErrInvalid)
	if schema.Remedy(err) == "" {
		t.Error("no remedy")
	}
	Equal(t, "the file is as it was", bytes.Equal(before, ReadFile(t, s.Path())), true)
	Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db podtrack.db.second]")
}

func TestCompactThatFailsLeavesTheStore(t *testing.T) {
	SkipUnlessReplaceable(t)
	s, _, _ := NewStoreWithRun(t, "record")
	before := ReadFile(t, s.Path())
	stays := func(err, want error) {
		t.Helper()
		WantErr(t, err, want)
		Equal(t, "the file is as it was", bytes.Equal(before, ReadFile(t, s.Path())), true)
		Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[podtrack.db]")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := backup.Compact(cancelled, s, nil)
	stays(err, context.Canceled)
	hurried := tracker.New(s.Path(), tracker.Options{Wait: time.Nanosecond})
	OK(t, s.View(t.Context(), func(*tracker.Tx) error {
		_, err := backup.Compact(t.Context(), hurried, nil)
		stays(err, tracker.ErrLocked)
		return nil
	}))
	_, err = backup.Compact(t.Context(), tracker.New(s.Path()+".none", tracker.Options{}), nil)
	stays(err, tracker.ErrNoStore)
	OK(t, os.WriteFile(s.Path(), []byte("text"), 0o600))
	before = []byte("text")
	_, err = backup.Compact(t.Context(), s, nil)
	stays(err, tracker.ErrNotStore)
}
