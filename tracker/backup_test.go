package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// makeBackup makes a backup in a folder of its own.
func makeBackup(t testing.TB, s *Store, o BackupOptions) (*Store, BackupReport) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	done, err := s.Backup(t.Context(), path, o)
	ok(t, err)
	equal(t, "files", fmt.Sprint(listFiles(t, New(path, Options{}))), "[backup.db]")
	return New(path, s.opts), done
}

// TestBackupBesideOthers removes, prunes, copies and compacts while a backup copies. The backup
// equals the store at the end.
func TestBackupBesideOthers(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t)
	from, _ := newTestStore(t)
	for seed := range uint64(6) {
		extend(t, s, seed, 2)
		extend(t, from, 20+seed, 2)
	}
	calls := 0
	backup, done := makeBackup(t, s, BackupOptions{Progress: func(int64, int64) {
		o := secondStore(s)
		switch calls++; calls {
		case 1:
			extend(t, o, 1, 3)
			ok(t, o.Update(t.Context(), func(tx *Tx) error { _, err := tx.Remove(runID(t, 2)); return err }))
			if filelock.CanReplace {
				_, err := o.Compact(t.Context(), nil)
				ok(t, err)
			}
		case 2:
			_, err := Prune(t.Context(), o,
				PruneOptions{Runs: []schema.Digest{runID(t, 3)},
					Retention: &Retention{Kinds: []schema.Kind{}, Last: 1}})
			ok(t, err)
			_, err = Copy(t.Context(), from, o, CopyOptions{})
			ok(t, err)
		}
	}})
	equal(t, "rounds", calls > 1, true)
	if diff := cmp.Diff(allRows(t, s), allRows(t, backup)); diff != "" {
		t.Error(diff)
	}
	c, err := Check(t.Context(), backup, CheckOptions{Read: func(schema.Digest) bool { return true }})
	ok(t, err)
	equal(t, "damages", len(c.Damaged), 0)
	equal(t, "records", done.Records, c.Records-c.Pruned)
	equal(t, "read", done.Read, c.Read)
}

// allRows returns the rows of all buckets but the leases.
func allRows(t testing.TB, s *Store) map[string]string {
	t.Helper()
	rows := map[string]string{}
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		for name := range tx.buckets {
			for key, value := range tx.rowsWithPrefix(name, nil) {
				if name != bucketLeases {
					rows[fmt.Sprintf("%s %x", name, key)] = fmt.Sprintf("%x", value)
				}
			}
		}
		return nil
	}))
	return rows
}

// TestBackupOfARunAtWork: in the backup a running run is unfinished, at its checkpoint, and not
// leased.
func TestBackupOfARunAtWork(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t)
	w := closeAtEnd(t, s.StartWriter(t.Context()))
	r, st := acquire(t, w, 1, 3)
	chain(t, r, 0, st.Run.ID, schema.KindValue, artefacts(t, 1, 0)...)
	name, err := r.Put(artefacts(t, 1, 1)[0])
	ok(t, err)
	ok(t, r.SealCheckpoint([]byte("state"), entries(name)))
	ok(t, w.Flush(t.Context()))
	backup, _ := makeBackup(t, s, BackupOptions{})
	backup.now = s.now
	ok(t, backup.View(t.Context(), func(tx *Tx) error {
		status, err := tx.ReadStatus(runID(t, 1))
		equal(t, "status", status, Interrupted)
		return err
	}))
	_, st = acquire(t, closeAtEnd(t, backup.StartWriter(t.Context())), 1, 3)
	equal(t, "iterations", st.Done, 1)
	equal(t, "checkpoint", string(st.Checkpoint.State), "state")
}

// TestBackupThatIsCancelled: what an interrupted backup has copied stays, and so does the store.
func TestBackupThatIsCancelled(t *testing.T) {
	t.Parallel()
	s, _, _ := newStoreWithRun(t, "record")
	path := filepath.Join(t.TempDir(), "backup.db")
	ctx, stop := context.WithCancel(t.Context())
	_, err := s.Backup(ctx, path, BackupOptions{Progress: func(int64, int64) { stop() }})
	wantErr(t, err, context.Canceled)
	left := listFiles(t, New(path, Options{}))
	equal(t, "files", len(left), 1)
	if _, err := os.Lstat(path); err == nil {
		t.Error("a backup is there that was not finished")
	}
}

// TestBackupGoesOnFromAnything: whatever an earlier attempt left, the backup equals the store.
func TestBackupGoesOnFromAnything(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t)
	for seed := range uint64(4) {
		extend(t, s, seed, 2)
	}
	other, _ := newTestStore(t)
	extend(t, other, 9, 4)
	for name, partial := range map[string]func(path string) error{
		"another store": func(path string) error { return os.WriteFile(path, readFile(t, other.path), 0o600) },
		"text":          func(path string) error { return os.WriteFile(path, []byte("text"), 0o600) },
		"nothing":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"half": func(path string) error {
			b := readFile(t, s.path)
			return os.WriteFile(path, b[:len(b)/2], 0o600)
		},
		"flipped records":   func(path string) error { return flipRecords(t, s, path) },
		"the very store":    func(path string) error { return os.WriteFile(path, readFile(t, s.path), 0o600) },
		"without its index": func(path string) error { return spoilIndex(t, s, path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "backup.db")
			temp, err := tempfile.New(path, "backup")
			ok(t, err)
			ok(t, partial(temp.ContentPath()))
			b := backup{Store: s, temp: temp, path: path}
			_, err = b.run(t.Context(), true)
			ok(t, errors.Join(err, temp.Remove()))
			if diff := cmp.Diff(content(t, s), content(t, New(path, Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// flipRecords writes a copy of the store with records of other bytes.
func flipRecords(t testing.TB, s *Store, path string) error {
	ok(t, os.WriteFile(path, readFile(t, s.path), 0o600))
	return New(path, Options{}).Update(t.Context(), func(tx *Tx) error {
		for _, key := range tx.copyKeys(bucketRecords, nil) {
			ok(t, tx.buckets[bucketRecords].Put(key, []byte("\x00\x05wrong")))
		}
		return nil
	})
}

func spoilIndex(t testing.TB, s *Store, path string) error {
	ok(t, os.WriteFile(path, readFile(t, s.path), 0o600))
	return New(path, Options{}).Update(t.Context(), func(tx *Tx) error {
		for _, key := range tx.copyKeys(bucketDigests, nil) {
			ok(t, tx.removeRow(bucketDigests, key))
		}
		return nil
	})
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t)
	extend(t, s, 1, 1)
	before := readFile(t, s.path)
	dir := filepath.Dir(s.path)
	ok(t, os.Link(s.path, filepath.Join(dir, "hard")))
	ok(t, os.Symlink(s.path, filepath.Join(dir, "soft")))
	ok(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	ok(t, os.WriteFile(filepath.Join(dir, "there"), []byte("mine"), 0o600))
	refuses := func(name string, o BackupOptions, want error) {
		t.Helper()
		_, err := s.Backup(t.Context(), filepath.Join(dir, name), o)
		wantErr(t, err, want)
		if schema.Remedy(err) == "" {
			t.Errorf("%s: no remedy in %v", name, err)
		}
	}
	for _, name := range []string{"podtrack.db", "hard", "soft", "folder"} {
		refuses(name, BackupOptions{Force: true}, ErrInvalid)
	}
	refuses("there", BackupOptions{}, ErrInvalid)
	equal(t, "text", string(readFile(t, filepath.Join(dir, "there"))), "mine")
	_, err := s.Backup(t.Context(), filepath.Join(dir, "none", "b.db"), BackupOptions{})
	if err == nil || schema.Remedy(err) == "" {
		t.Errorf("no folder: %v", err)
	}
	_, err = s.Backup(t.Context(), filepath.Join(dir, "there"), BackupOptions{Force: true})
	ok(t, err)
	equal(t, "the store is as it was", string(before) == string(readFile(t, s.path)), true)
	equal(t, "files", fmt.Sprint(listFiles(t, s)), "[folder hard podtrack.db soft there]")
}

// TestBackupOfDamage: a damaged store has no verified copy.
func TestBackupOfDamage(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t)
	extend(t, s, 1, 2)
	ok(t, flipRecords(t, s, s.path))
	path := filepath.Join(t.TempDir(), "backup.db")
	_, err := s.Backup(t.Context(), path, BackupOptions{})
	wantErr(t, err, ErrDamaged)
	equal(t, "files", len(listFiles(t, New(path, Options{}))), 0)
}

// TestBackupKeepsMode: users who cannot read the store can never read the backup.
func TestBackupKeepsMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o600, 0o640} {
		s, _ := newTestStore(t)
		extend(t, s, 1, 1)
		ok(t, os.Chmod(s.path, mode))
		looked := 0
		path := filepath.Join(t.TempDir(), "backup.db")
		_, err := s.Backup(t.Context(), path, BackupOptions{Progress: func(int64, int64) {
			looked++
			for _, name := range listFiles(t, New(path, Options{})) {
				info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
				ok(t, err)
				equal(t, name, info.Mode().Perm(), 0o700)
				info, err = os.Stat(filepath.Join(filepath.Dir(path), name, "content"))
				ok(t, err)
				equal(t, "content", info.Mode().Perm(), 0o600)
			}
		}})
		ok(t, err)
		equal(t, "looked", looked > 0, true)
		info, err := os.Stat(path)
		ok(t, err)
		equal(t, "mode", info.Mode().Perm(), mode)
	}
}
