package tracker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// pageSize is the page size of a store in bytes.
const pageSize = 16 << 10

func TestCreateIsARaceThatAllWin(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "podtrack.db")
	var group sync.WaitGroup
	errs := make(chan error, 8)
	for i := range 8 {
		group.Go(func() {
			s := tracker.New(path, tracker.Options{})
			if err := s.Create(t.Context()); err != nil {
				errs <- err
				return
			}
			w := groupcommit.Start(t.Context(), s)
			_, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(uint64(i)), Target: 1})
			errs <- errors.Join(err, w.Close(t.Context()))
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		OK(t, err)
	}
	OK(t, tracker.New(path, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) error {
		Equal(t, "runs", len(tx.Rows().Keys(rows.BucketRuns, nil)), 8)
		return nil
	}))
	files, err := os.ReadDir(dir)
	OK(t, err)
	Equal(t, "files", len(files), 1)
}

func TestCreateLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	err := tracker.New(filepath.Join(dir, "none", "podtrack.db"), tracker.Options{}).Create(t.Context())
	Equal(t, "remedy", schema.Remedy(err), "mkdir -p "+textfmt.ShellQuote(filepath.Join(dir, "none")))
	files, _ := os.ReadDir(dir)
	Equal(t, "files", len(files), 0)
}

func TestNothingThere(t *testing.T) {
	dir := t.TempDir()
	OK(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, path := range []string{"none", "none/podtrack.db", "file/podtrack.db"} {
		s := tracker.New(filepath.Join(dir, path), tracker.Options{})
		WantErr(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }), tracker.ErrNoStore)
		WantErr(t, s.Update(t.Context(), func(*tracker.Tx) error { return nil }), tracker.ErrNoStore)
		if _, err := os.Stat(s.Path()); err == nil {
			t.Fatalf("%s was created", s.Path())
		}
	}
}

func TestRefusesWhatIsNotAStore(t *testing.T) {
	good, _, _ := NewStoreWithRun(t, "record")
	whole := ReadFile(t, good.Path())
	foreign := func(t *testing.T, path string, o *bbolt.Options) {
		db, err := bbolt.Open(path, 0o600, o)
		OK(t, err)
		OK(t, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }))
		OK(t, db.Close())
	}
	content := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) { OK(t, os.WriteFile(path, b, 0o600)) }
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
			changeFile(t, path, func(btx *bbolt.Tx) error {
				key := []byte("format")
				value, err := wire.Marshal(map[string]uint64{"format": version})
				OK(t, err)
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
		{"text", content([]byte(strings.Repeat("not a store\n", 1000))), tracker.ErrNotStore},
		{"empty", content(nil), tracker.ErrNotStore},
		{"one byte", content([]byte{1}), tracker.ErrNotStore},
		{"zeros", content(make([]byte, 1<<16)), tracker.ErrNotStore},
		{"cut off", content(whole[:2*pageSize]), tracker.ErrNotStore},
		{"half a page", content(whole[:pageSize/2]), tracker.ErrNotStore},
		{"both magics changed", content(changed(16)), tracker.ErrNotStore},
		{"both meta checksums changed", content(changed(72)), tracker.ErrNotStore},
		{"directory", func(t *testing.T, path string) { OK(t, os.Mkdir(path, 0o700)) }, tracker.ErrNotStore},
		{"foreign", func(t *testing.T, path string) { foreign(t, path, nil) }, tracker.ErrNotStore},
		{"foreign without freelist", func(t *testing.T, path string) {
			foreign(t, path, &bbolt.Options{NoFreelistSync: true})
		}, tracker.ErrNotStore},
		{"newer", ofFormat(schema.FormatVersion + 1), tracker.ErrFormat},
		{"older", ofFormat(schema.FormatVersion - 1), tracker.ErrFormat},
		{"format row damaged", func(t *testing.T, path string) {
			content(whole)(t, path)
			changeFile(t, path, func(btx *bbolt.Tx) error {
				return btx.Bucket([]byte(rows.BucketPodtrack)).Put([]byte("format"), []byte("123456789"))
			})
		}, tracker.ErrNotStore},
		{"bucket gone", func(t *testing.T, path string) {
			content(whole)(t, path)
			changeFile(t, path, func(btx *bbolt.Tx) error { return btx.DeleteBucket([]byte(rows.BucketTags)) })
		}, tracker.ErrNotStore},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "podtrack.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			s := tracker.New(path, tracker.Options{})
			WantErr(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }), c.want)
			WantErr(t, s.Update(t.Context(), func(*tracker.Tx) error { return nil }), c.want)
			WantErr(t, s.Create(t.Context()), c.want)
			if schema.Remedy(s.View(t.Context(), func(*tracker.Tx) error { return nil })) == "" {
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
	whole := ReadFile(t, s.Path())
	for _, at := range []int{16, pageSize + 16} {
		b := bytes.Clone(whole)
		b[at] ^= 1
		OK(t, os.WriteFile(s.Path(), b, 0o600))
		OK(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }))
	}
}

func TestViewNeedsNoRightToWrite(t *testing.T) {
	s, _, name := NewStoreWithRun(t, "record")
	OK(t, os.Chmod(s.Path(), 0o400))
	dir := filepath.Dir(s.Path())
	OK(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	before := ReadFile(t, s.Path())
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		if tx.SetNote(RunID(t, 1), "note") == nil {
			t.Error("a view wrote")
		}
		_, err := tx.ReadRecord(name)
		return err
	}))
	if !bytes.Equal(before, ReadFile(t, s.Path())) {
		t.Error("a view changed the file")
	}
}

func TestUpdateRollsBack(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	id := RunID(t, 1)
	mine := errors.New("mine")
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetNote(id, "note"))
		return mine
	}), mine)
	func() {
		defer func() { Equal(t, "panic", recover(), any("programmer's mistake")) }()
		_ = s.Update(t.Context(), func(tx *tracker.Tx) error {
			OK(t, tx.SetNote(id, "note"))
			panic("programmer's mistake")
		})
	}()
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { // the lock was released
		a, err := tx.ReadAnnotation(id)
		Equal(t, "note", a.Note, "")
		return err
	}))
}

func TestLockIsWaitedFor(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	hurried := tracker.New(s.Path(), tracker.Options{Wait: time.Nanosecond})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(*tracker.Tx) error { return nil }
	OK(t, s.Update(t.Context(), func(*tracker.Tx) error {
		err := hurried.View(t.Context(), nothing)
		WantErr(t, err, tracker.ErrLocked)
		if !strings.Contains(err.Error(), s.Path()) {
			t.Errorf("error %q does not name the file", err)
		}
		WantErr(t, SecondStore(s).View(cancelled, nothing), context.Canceled)
		return nil
	}))
	OK(t, s.View(t.Context(), func(*tracker.Tx) error { return hurried.View(t.Context(), nothing) })) // readers share
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

// holdLock locks the store for writing until release is called.
func holdLock(t *testing.T, s *tracker.Store) (release func()) {
	t.Helper()
	began, ended, unlocked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(unlocked)
		_ = s.Update(context.Background(), func(*tracker.Tx) error {
			close(began)
			<-ended
			return context.Canceled
		})
	}()
	<-began
	return func() { close(ended); <-unlocked }
}

func TestWaiterFollowsARename(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	next := tracker.New(s.Path()+".new", tracker.Options{})
	OK(t, next.Create(t.Context()))
	release := holdLock(t, s)
	ctx := waiting{t.Context(), new(sync.Once), func() {
		OK(t, os.Rename(next.Path(), s.Path()))
		release()
	}}
	var runs int
	OK(t, SecondStore(s).Update(ctx, func(tx *tracker.Tx) error {
		runs = len(tx.Rows().Keys(rows.BucketRuns, nil))
		return nil
	}))
	Equal(t, "runs in the new file", runs, 0)
}

func TestWaiterSeesTheFileGo(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	release := holdLock(t, s)
	ctx := waiting{t.Context(), new(sync.Once), func() {
		OK(t, os.Remove(s.Path()))
		release()
	}}
	WantErr(t, SecondStore(s).Update(ctx, func(*tracker.Tx) error { return nil }), tracker.ErrNoStore)
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
		OK(t, <-errs)
	}
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		var numbers []uint64
		for run, err := range tx.Runs() {
			OK(t, err)
			its, err := tx.ReadIterations(run.ID)
			OK(t, err)
			Equal(t, "iterations", len(its), iterations)
			for _, it := range its {
				_, err := tx.ReadRecord(it.Records[0].Name)
				OK(t, err)
			}
			numbers = append(numbers, run.Number)
		}
		Equal(t, "runs", len(numbers), writers*runs)
		slices.Reverse(numbers)
		if !slices.IsSorted(numbers) {
			t.Errorf("order of runs: %v", numbers)
		}
		return nil
	}))
	Equal(t, "orphans", UnreferencedRecords(t, s), 0)
}

// work makes runs in parallel under one writer, all with the same records.
func work(t *testing.T, s *tracker.Store, seed uint64, runs, iterations int) error {
	w := groupcommit.Start(t.Context(), s)
	var group sync.WaitGroup
	errs := make(chan error, runs)
	for i := range runs {
		group.Go(func() {
			r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(seed + uint64(i)), Target: iterations})
			for k := range iterations {
				if err != nil {
					break
				}
				var name schema.Digest
				if name, err = r.Put([]byte{byte(k)}); err == nil {
					err = r.SealIteration(k, schema.Iteration{Records: Entries(name)}, tracker.Cost{})
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
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) (err error) { name, err = tx.Revision(); return err }))
		return name
	}
	first := revision()
	if again := revision(); again != first {
		t.Errorf("%s, and %s though nothing was written", first, again)
	}
	before, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx *tracker.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	second := revision()
	if err := os.WriteFile(s.Path(), before, 0o666); err != nil {
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
	OK(t, s.Update(ctx, func(tx *tracker.Tx) error {
		OK(t, tx.SetNote(id, strings.Repeat("n", tracker.MaxNote)))
		OK(t, tx.SetFailure(id, strings.Repeat("€", tracker.MaxNote)))
		return nil
	}))
	OK(t, s.View(ctx, func(tx *tracker.Tx) error {
		a, err := tx.ReadAnnotation(id)
		OK(t, err)
		Equal(t, "bytes of the note", len(a.Note), tracker.MaxNote)
		Equal(t, "bytes of the failure", len(a.Failure) > tracker.MaxFailure/2 && len(a.Failure) <= tracker.MaxFailure, true)
		_, err = tx.ReadRun(id)
		return err
	}))
}

// TestCreateBehindLinks creates the file to which links lead, and leaves the links as they are.
func TestCreateBehindLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	OK(t, os.Mkdir(in("data"), 0o700))
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
		OK(t, tracker.New(in(link), tracker.Options{}).Create(t.Context()))
		OK(t, tracker.New(in(target), tracker.Options{}).View(t.Context(), func(*tracker.Tx) error { return nil }))
		if info, err := os.Lstat(in(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", link, info, err)
		}
	}
	err := tracker.New(in("lost.db"), tracker.Options{}).Create(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no folder") || !strings.Contains(err.Error(), in("nowhere")) {
		t.Errorf("behind a link into no folder: %v", err)
	}
	if err := tracker.New(in("loop.db"), tracker.Options{}).Create(t.Context()); err == nil {
		t.Error("behind a link to itself there is a store")
	}
}

// TestCuts: a text of the largest length is unchanged, and a longer one is truncated to it.
func TestCuts(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("x", n) }
	words := func(n int) tracker.Code { return tracker.Code{Args: strings.Split(letters(n), "")} }
	programs := func(n int) tracker.Code { return tracker.Code{Programs: make([]tracker.Program, n)} }
	program := func(p tracker.Program) tracker.Program {
		return tracker.Code{Programs: []tracker.Program{p}}.Bounded().Programs[0]
	}
	packages := func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("p%03d", i)] = "1"
		}
		return all
	}
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	failure := func(n int) (cut int) {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			OK(t, tx.SetFailure(id, letters(n)))
			a, err := tx.ReadAnnotation(id)
			cut = len(a.Failure)
			return err
		}))
		return cut
	}
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	seed := uint64(2)
	target := func(n int) int {
		seed++
		_, st := Acquire(t, w, seed, n)
		return st.Target
	}
	for _, limit := range []struct {
		name string
		most int
		cut  func(n int) int
	}{
		{"words of a command", 100, func(n int) int { return len(words(n).Bounded().Args) }},
		{"bytes of a word", 1000, func(n int) int { return len(tracker.Code{Commit: letters(n)}.Bounded().Commit) }},
		{"programs", 8, func(n int) int { return len(programs(n).Bounded().Programs) }},
		{"packages", 200, func(n int) int { return len(program(tracker.Program{Packages: packages(n)}).Packages) }},
		{"a failure", 64 << 10, failure},
		{"a target", tracker.MaxIterations, target},
	} {
		for _, n := range []int{limit.most - 1, limit.most, limit.most + 1} {
			Equal(t, fmt.Sprintf("%s of %d", limit.name, n), limit.cut(n), min(n, limit.most))
		}
	}
	Equal(t, "a word at the limit", tracker.Code{Commit: letters(1000)}.Bounded().Commit, letters(1000))
}
