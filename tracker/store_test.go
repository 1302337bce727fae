package tracker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/rows"
)

func TestPageSizeIsPinned(t *testing.T) { equal(t, "page size", pageSize, 16384) }

func TestCreateIsARaceThatAllWin(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "podtrack.db")
	var group sync.WaitGroup
	errs := make(chan error, 8)
	for i := range 8 {
		group.Go(func() {
			s := New(path, Options{})
			if err := s.Create(t.Context()); err != nil {
				errs <- err
				return
			}
			w := StartWriter(t.Context(), s)
			_, _, err := w.Acquire(t.Context(), Claim{Spec: Spec(uint64(i)), Target: 1})
			errs <- errors.Join(err, w.Close(t.Context()))
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		ok(t, err)
	}
	ok(t, New(path, Options{}).View(t.Context(), func(tx *Tx) error {
		equal(t, "runs", len(tx.rows.Keys(rows.BucketRuns, nil)), 8)
		return nil
	}))
	files, err := os.ReadDir(dir)
	ok(t, err)
	equal(t, "files", len(files), 1)
}

func TestCreateLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	err := New(filepath.Join(dir, "none", "podtrack.db"), Options{}).Create(t.Context())
	equal(t, "remedy", schema.Remedy(err), "mkdir -p "+textform.ShellQuote(filepath.Join(dir, "none")))
	files, _ := os.ReadDir(dir)
	equal(t, "files", len(files), 0)
}

func TestNothingThere(t *testing.T) {
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, path := range []string{"none", "none/podtrack.db", "file/podtrack.db"} {
		s := New(filepath.Join(dir, path), Options{})
		wantErr(t, s.View(t.Context(), func(*Tx) error { return nil }), ErrNoStore)
		wantErr(t, s.Update(t.Context(), func(*Tx) error { return nil }), ErrNoStore)
		if _, err := os.Stat(s.path); err == nil {
			t.Fatalf("%s was created", s.path)
		}
	}
}

func TestRefusesWhatIsNotAStore(t *testing.T) {
	good, _, _ := NewStoreWithRun(t, "record")
	whole := ReadFile(t, good.path)
	foreign := func(t *testing.T, path string, o *bbolt.Options) {
		db, err := bbolt.Open(path, 0o600, o)
		ok(t, err)
		ok(t, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }))
		ok(t, db.Close())
	}
	content := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) { ok(t, os.WriteFile(path, b, 0o600)) }
	}
	changed := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 1
		b[at+pageSize] ^= 1
		return b
	}
	ofFormat := func(version uint64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			content(whole)(t, path)
			raw(t, path, func(btx *bbolt.Tx) error {
				key := []byte("format")
				value, err := wire.Marshal(map[string]uint64{"format": version})
				ok(t, err)
				return btx.Bucket([]byte(rows.BucketPodtrack)).Put(key,
					rows.AppendChecksum(rows.BucketPodtrack, key, value))
			})
		}
	}
	cases := []struct {
		name string
		make func(*testing.T, string)
		want error
	}{
		{"text", content([]byte(strings.Repeat("not a store\n", 1000))), ErrNotStore},
		{"empty", content(nil), ErrNotStore},
		{"one byte", content([]byte{1}), ErrNotStore},
		{"zeros", content(make([]byte, 1<<16)), ErrNotStore},
		{"cut off", content(whole[:2*pageSize]), ErrNotStore},
		{"half a page", content(whole[:pageSize/2]), ErrNotStore},
		{"both magics changed", content(changed(16)), ErrNotStore},
		{"both meta checksums changed", content(changed(72)), ErrNotStore},
		{"directory", func(t *testing.T, path string) { ok(t, os.Mkdir(path, 0o700)) }, ErrNotStore},
		{"foreign", func(t *testing.T, path string) { foreign(t, path, nil) }, ErrNotStore},
		{"foreign without freelist", func(t *testing.T, path string) {
			foreign(t, path, &bbolt.Options{NoFreelistSync: true})
		}, ErrNotStore},
		{"newer", ofFormat(schema.FormatVersion + 1), ErrFormat},
		{"older", ofFormat(schema.FormatVersion - 1), ErrFormat},
		{"format row damaged", func(t *testing.T, path string) {
			content(whole)(t, path)
			raw(t, path, func(btx *bbolt.Tx) error {
				return btx.Bucket([]byte(rows.BucketPodtrack)).Put([]byte("format"), []byte("123456789"))
			})
		}, ErrNotStore},
		{"bucket gone", func(t *testing.T, path string) {
			content(whole)(t, path)
			raw(t, path, func(btx *bbolt.Tx) error { return btx.DeleteBucket([]byte(rows.BucketTags)) })
		}, ErrNotStore},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "podtrack.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			s := New(path, Options{})
			wantErr(t, s.View(t.Context(), func(*Tx) error { return nil }), c.want)
			wantErr(t, s.Update(t.Context(), func(*Tx) error { return nil }), c.want)
			wantErr(t, s.Create(t.Context()), c.want)
			if schema.Remedy(s.View(t.Context(), func(*Tx) error { return nil })) == "" {
				t.Error("no remedy")
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOneMetaPageIsEnough(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	whole := ReadFile(t, s.path)
	for _, at := range []int{16, pageSize + 16} {
		b := bytes.Clone(whole)
		b[at] ^= 1
		ok(t, os.WriteFile(s.path, b, 0o600))
		ok(t, s.View(t.Context(), func(*Tx) error { return nil }))
	}
}

func TestViewNeedsNoRightToWrite(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	ok(t, os.Chmod(s.path, 0o400))
	dir := filepath.Dir(s.path)
	ok(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	before := ReadFile(t, s.path)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		if tx.SetNote(RunID(t, 1), "note") == nil {
			t.Error("a view wrote")
		}
		_, err := tx.ReadRecord(name)
		return err
	}))
	if !bytes.Equal(before, ReadFile(t, s.path)) {
		t.Error("a view changed the file")
	}
}

func TestUpdateRollsBack(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	id := RunID(t, 1)
	mine := errors.New("mine")
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error {
		ok(t, tx.SetNote(id, "note"))
		return mine
	}), mine)
	func() {
		defer func() { equal(t, "panic", recover(), any("programmer's mistake")) }()
		_ = s.Update(t.Context(), func(tx *Tx) error {
			ok(t, tx.SetNote(id, "note"))
			panic("programmer's mistake")
		})
	}()
	ok(t, s.Update(t.Context(), func(tx *Tx) error { // the lock was let go
		a, err := tx.ReadAnnotation(id)
		equal(t, "note", a.Note, "")
		return err
	}))
}

func TestLockIsWaitedFor(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	hurried := New(s.path, Options{Wait: time.Nanosecond})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(*Tx) error { return nil }
	ok(t, s.Update(t.Context(), func(*Tx) error {
		err := hurried.View(t.Context(), nothing)
		wantErr(t, err, ErrLocked)
		if !strings.Contains(err.Error(), s.path) {
			t.Errorf("error %q does not name the file", err)
		}
		wantErr(t, SecondStore(s).View(cancelled, nothing), context.Canceled)
		return nil
	}))
	ok(t, s.View(t.Context(), func(*Tx) error { return hurried.View(t.Context(), nothing) })) // readers share
}

// waiting returns a context that calls a function when it is first waited for, after a failed
// attempt to lock.
type waiting struct {
	context.Context
	once *sync.Once
	call func()
}

func (w waiting) Done() <-chan struct{} {
	w.once.Do(w.call)
	return w.Context.Done()
}

func TestWaiterFollowsARename(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	next := New(s.path+".new", Options{})
	ok(t, next.Create(t.Context()))
	first, err := s.open(t.Context(), true)
	ok(t, err)
	ctx := waiting{t.Context(), new(sync.Once), func() {
		ok(t, os.Rename(next.path, s.path))
		first.close()
	}}
	var runs int
	ok(t, SecondStore(s).Update(ctx, func(tx *Tx) error {
		runs = len(tx.rows.Keys(rows.BucketRuns, nil))
		return nil
	}))
	equal(t, "runs in the new file", runs, 0)
}

func TestWaiterSeesTheFileGo(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	first, err := s.open(t.Context(), true)
	ok(t, err)
	ctx := waiting{t.Context(), new(sync.Once), func() {
		ok(t, os.Remove(s.path))
		first.close()
	}}
	wantErr(t, SecondStore(s).Update(ctx, func(*Tx) error { return nil }), ErrNoStore)
}

func TestStoresOnOnePath(t *testing.T) {
	s, _ := NewStore(t)
	const writers, runs, iterations = 4, 3, 5
	var group sync.WaitGroup
	errs := make(chan error, writers)
	for i := range writers {
		group.Go(func() { errs <- work(t, SecondStore(s), uint64(i*runs), runs, iterations) })
	}
	group.Wait()
	for range writers {
		ok(t, <-errs)
	}
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		var numbers []uint64
		for run, err := range tx.Runs() {
			ok(t, err)
			its, err := tx.ReadIterations(run.ID)
			ok(t, err)
			equal(t, "iterations", len(its), iterations)
			for _, it := range its {
				_, err := tx.ReadRecord(it.Records[0].Name)
				ok(t, err)
			}
			numbers = append(numbers, run.Number)
		}
		equal(t, "runs", len(numbers), writers*runs)
		slices.Reverse(numbers)
		if !slices.IsSorted(numbers) {
			t.Errorf("order of runs: %v", numbers)
		}
		return nil
	}))
	equal(t, "orphans", UnreferencedRecords(t, s), 0)
}

// work makes runs in parallel under one writer, all with the same records.
func work(t *testing.T, s *Store, seed uint64, runs, iterations int) error {
	w := StartWriter(t.Context(), s)
	var group sync.WaitGroup
	errs := make(chan error, runs)
	for i := range runs {
		group.Go(func() {
			r, _, err := w.Acquire(t.Context(), Claim{Spec: Spec(seed + uint64(i)), Target: iterations})
			for k := range iterations {
				if err != nil {
					break
				}
				var name schema.Digest
				if name, err = r.Put([]byte{byte(k)}); err == nil {
					err = r.SealIteration(k, schema.Iteration{Records: Entries(name)}, Cost{})
				}
			}
			if err != nil {
				errs <- err
				return
			}
			r.Release(func(err error) { errs <- err })
			if err := w.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var all error
	for range runs {
		all = errors.Join(all, <-errs)
	}
	return errors.Join(all, w.Close(t.Context()))
}

// TestRevision compares the revision before and after a commit, and after a copy of the earlier
// file has replaced the store's.
func TestRevision(t *testing.T) {
	s, _ := NewStore(t)
	revision := func() (name string) {
		ok(t, s.View(t.Context(), func(tx *Tx) (err error) { name, err = tx.Revision(); return err }))
		return name
	}
	first := revision()
	if again := revision(); again != first {
		t.Errorf("%s, and %s though nothing was written", first, again)
	}
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx *Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	second := revision()
	if err := os.WriteFile(s.path, before, 0o666); err != nil {
		t.Fatal(err)
	}
	if third := revision(); first == second || second == third {
		t.Errorf("revisions %s, %s and %s of different states", first, second, third)
	}
}

// TestLargestAnnotation: the longest note and failure can be read together.
func TestLargestAnnotation(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "a record")
	id := RunID(t, 1)
	ctx := context.Background()
	ok(t, s.Update(ctx, func(tx *Tx) error {
		ok(t, tx.SetNote(id, strings.Repeat("n", maxNote)))
		ok(t, tx.SetFailure(id, strings.Repeat("€", maxNote)))
		return nil
	}))
	ok(t, s.View(ctx, func(tx *Tx) error {
		a, err := tx.ReadAnnotation(id)
		ok(t, err)
		equal(t, "bytes of the note", len(a.Note), maxNote)
		equal(t, "bytes of the failure", len(a.Failure) > maxFailure/2 && len(a.Failure) <= maxFailure, true)
		_, err = tx.ReadRun(id)
		return err
	}))
}

// TestCreateBehindLinks creates the file to which links lead, and leaves the links as they are.
func TestCreateBehindLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	ok(t, os.Mkdir(in("data"), 0o700))
	for link, target := range map[string]string{
		"relative.db": filepath.Join("data", "a.db"), "absolute.db": in("b.db"), "twice.db": "once.db",
		"once.db": filepath.Join("data", "c.db"), "lost.db": filepath.Join("nowhere", "d.db"), "loop.db": "loop.db",
	} {
		if err := os.Symlink(target, in(link)); err != nil {
			t.Skip(err) // Windows asks for a right
		}
	}
	for link, target := range map[string]string{
		"relative.db": "data/a.db", "absolute.db": "b.db", "twice.db": "data/c.db", "once.db": "data/c.db",
	} {
		ok(t, New(in(link), Options{}).Create(t.Context()))
		ok(t, New(in(target), Options{}).View(t.Context(), func(*Tx) error { return nil }))
		if info, err := os.Lstat(in(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", link, info, err)
		}
	}
	err := New(in("lost.db"), Options{}).Create(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no folder") || !strings.Contains(err.Error(), in("nowhere")) {
		t.Errorf("behind a link into no folder: %v", err)
	}
	if err := New(in("loop.db"), Options{}).Create(t.Context()); err == nil {
		t.Error("behind a link to itself there is a store")
	}
}
