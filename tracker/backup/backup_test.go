package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// makeBackup makes a backup in a folder of its own.
func makeBackup(t testing.TB, s *tracker.Store, o Options) (*tracker.Store, Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	done, err := Run(t.Context(), s, path, o)
	OK(t, err)
	Equal(t, "files", fmt.Sprint(ListFiles(t, tracker.New(path, tracker.Options{}))), "[backup.db]")
	return tracker.New(path, s.Options()), done
}

// TestBackupBesideOthers removes, prunes, copies and compacts while a backup copies. The backup
// equals the store at the end.
func TestBackupBesideOthers(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	from, _ := NewStore(t)
	for seed := range uint64(6) {
		Extend(t, s, seed, 2)
		Extend(t, from, 20+seed, 2)
	}
	calls := 0
	backup, done := makeBackup(t, s, Options{Progress: func(int64, int64) {
		o := SecondStore(s)
		switch calls++; calls {
		case 1:
			Extend(t, o, 1, 3)
			_, err := gc.Remove(t.Context(), o, []schema.Digest{RunID(t, 2)})
			OK(t, err)
			if filelock.TakesLock {
				_, err := Compact(t.Context(), o, nil)
				OK(t, err)
			}
		case 2:
			PruneTo(t, o, tracker.Retention{}, RunID(t, 3))
			_, err := merge.Run(t.Context(), from, o, merge.Options{})
			OK(t, err)
		}
	}})
	Equal(t, "rounds", calls > 1, true)
	if diff := cmp.Diff(allRows(t, s), allRows(t, backup)); diff != "" {
		t.Error(diff)
	}
	c, err := check.Run(t.Context(), backup, check.Options{Read: func(schema.Digest) bool { return true }})
	OK(t, err)
	Equal(t, "damages", len(c.Damaged), 0)
	Equal(t, "records", done.Records, c.Records-c.Pruned)
	Equal(t, "read", done.Read, c.Read)
}

// allRows returns the rows of all buckets but the leases.
func allRows(t testing.TB, s *tracker.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		names, err := tx.Rows().Pages.BucketNames()
		OK(t, err)
		for _, name := range names {
			for key, value := range tx.Rows().WithPrefix(name, nil) {
				if name != rows.BucketLeases {
					all[fmt.Sprintf("%s %x", name, key)] = fmt.Sprintf("%x", value)
				}
			}
		}
		return nil
	}))
	return all
}

// TestBackupOfARunAtWork: in the backup a running run is unfinished, at its checkpoint, and not
// leased.
func TestBackupOfARunAtWork(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	r, st := Acquire(t, w, 1, 3)
	Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, 1, 0)...)
	name, err := r.Put(Artefacts(t, 1, 1)[0])
	OK(t, err)
	OK(t, r.SealCheckpoint([]byte("state"), Entries(name)))
	OK(t, w.Flush(t.Context()))
	backup, _ := makeBackup(t, s, Options{})
	OK(t, backup.View(t.Context(), func(tx *tracker.Tx) error {
		status, err := tx.DeriveStatus(RunID(t, 1), tracker.Annotation{Target: 3}, 1)
		Equal(t, "status", status, tracker.Interrupted)
		return err
	}))
	_, st = Acquire(t, CloseAtEnd(t, groupcommit.Start(t.Context(), backup)), 1, 3)
	Equal(t, "iterations", st.Done, 1)
	Equal(t, "checkpoint", string(st.Checkpoint.State), "state")
}

// TestBackupThatIsCancelled: the unfinished copy of an interrupted backup is kept, and the store is unchanged.
func TestBackupThatIsCancelled(t *testing.T) {
	t.Parallel()
	s, _, _ := NewStoreWithRun(t, "record")
	path := filepath.Join(t.TempDir(), "backup.db")
	ctx, stop := context.WithCancel(t.Context())
	_, err := Run(ctx, s, path, Options{Progress: func(int64, int64) { stop() }})
	WantErr(t, err, context.Canceled)
	left := ListFiles(t, tracker.New(path, tracker.Options{}))
	Equal(t, "files", len(left), 1)
	if _, err := os.Lstat(path); err == nil {
		t.Error("a backup is there that was not finished")
	}
}

// TestBackupGoesOnFromAnything: the backup equals the store, whatever an earlier attempt left.
func TestBackupGoesOnFromAnything(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	for seed := range uint64(4) {
		Extend(t, s, seed, 2)
	}
	other, _ := NewStore(t)
	Extend(t, other, 9, 4)
	for name, partial := range map[string]func(path string) error{
		"another store": func(path string) error { return os.WriteFile(path, ReadFile(t, other.Path()), 0o600) },
		"text":          func(path string) error { return os.WriteFile(path, []byte("text"), 0o600) },
		"nothing":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"half": func(path string) error {
			b := ReadFile(t, s.Path())
			return os.WriteFile(path, b[:len(b)/2], 0o600)
		},
		"flipped records":   func(path string) error { return flipRecords(t, s, path) },
		"the very store":    func(path string) error { return os.WriteFile(path, ReadFile(t, s.Path()), 0o600) },
		"without its index": func(path string) error { return spoilIndex(t, s, path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "backup.db")
			temp, err := tempfile.New(path, "backup")
			OK(t, err)
			OK(t, partial(temp.ContentPath()))
			b := backup{store: s, temp: temp, path: path}
			_, err = b.run(t.Context(), true)
			OK(t, errors.Join(err, temp.Remove()))
			if diff := cmp.Diff(Content(t, s), Content(t, tracker.New(path, tracker.Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// flipRecords writes a copy of the store with records of other bytes.
func flipRecords(t testing.TB, s *tracker.Store, path string) error {
	OK(t, os.WriteFile(path, ReadFile(t, s.Path()), 0o600))
	return tracker.New(path, tracker.Options{}).Update(t.Context(), func(tx *tracker.Tx) error {
		for _, key := range tx.Rows().Keys(rows.BucketRecords, nil) {
			OK(t, tx.Rows().Bucket(rows.BucketRecords).Put(key, []byte("\x00\x05wrong")))
		}
		return nil
	})
}

func spoilIndex(t testing.TB, s *tracker.Store, path string) error {
	OK(t, os.WriteFile(path, ReadFile(t, s.Path()), 0o600))
	return tracker.New(path, tracker.Options{}).Update(t.Context(), func(tx *tracker.Tx) error {
		for _, key := range tx.Rows().Keys(rows.BucketDigests, nil) {
			OK(t, tx.Rows().Remove(rows.BucketDigests, key))
		}
		return nil
	})
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	Extend(t, s, 1, 1)
	before := ReadFile(t, s.Path())
	dir := filepath.Dir(s.Path())
	OK(t, os.Link(s.Path(), filepath.Join(dir, "hard")))
	OK(t, os.Symlink(s.Path(), filepath.Join(dir, "soft")))
	OK(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	OK(t, os.WriteFile(filepath.Join(dir, "there"), []byte("mine"), 0o600))
	refuses := func(name string, o Options, want error) {
		t.Helper()
		_, err := Run(t.Context(), s, filepath.Join(dir, name), o)
		WantErr(t, err, want)
		if schema.Remedy(err) == "" {
			t.Errorf("%s: no remedy in %v", name, err)
		}
	}
	for _, name := range []string{"podtrack.db", "hard", "soft", "folder"} {
		refuses(name, Options{Force: true}, tracker.ErrInvalid)
	}
	refuses("there", Options{}, tracker.ErrInvalid)
	Equal(t, "text", string(ReadFile(t, filepath.Join(dir, "there"))), "mine")
	_, err := Run(t.Context(), s, filepath.Join(dir, "none", "b.db"), Options{})
	if err == nil || schema.Remedy(err) == "" {
		t.Errorf("no folder: %v", err)
	}
	_, err = Run(t.Context(), s, filepath.Join(dir, "there"), Options{Force: true})
	OK(t, err)
	Equal(t, "the store is as it was", string(before) == string(ReadFile(t, s.Path())), true)
	Equal(t, "files", fmt.Sprint(ListFiles(t, s)), "[folder hard podtrack.db soft there]")
}

// TestBackupOfDamage: a damaged store has no verified copy.
func TestBackupOfDamage(t *testing.T) {
	t.Parallel()
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	OK(t, flipRecords(t, s, s.Path()))
	path := filepath.Join(t.TempDir(), "backup.db")
	_, err := Run(t.Context(), s, path, Options{})
	WantErr(t, err, tracker.ErrDamaged)
	Equal(t, "files", len(ListFiles(t, tracker.New(path, tracker.Options{}))), 0)
}

// TestBackupKeepsMode: users who cannot read the store can never read the backup.
func TestBackupKeepsMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o600, 0o640} {
		s, _ := NewStore(t)
		Extend(t, s, 1, 1)
		OK(t, os.Chmod(s.Path(), mode))
		looked := 0
		path := filepath.Join(t.TempDir(), "backup.db")
		_, err := Run(t.Context(), s, path, Options{Progress: func(int64, int64) {
			looked++
			for _, name := range ListFiles(t, tracker.New(path, tracker.Options{})) {
				info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
				OK(t, err)
				Equal(t, name, info.Mode().Perm(), 0o700)
				info, err = os.Stat(filepath.Join(filepath.Dir(path), name, "content"))
				OK(t, err)
				Equal(t, "content", info.Mode().Perm(), 0o600)
			}
		}})
		OK(t, err)
		Equal(t, "looked", looked > 0, true)
		info, err := os.Stat(path)
		OK(t, err)
		Equal(t, "mode", info.Mode().Perm(), mode)
	}
}
