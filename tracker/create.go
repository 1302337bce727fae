package tracker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
)

// Create makes an empty store unless there is one. Of several creators at once
// one makes it and all find it: the file appears under its name whole.
func (s *Store) Create(ctx context.Context) error {
	if _, err := os.Lstat(s.path); err != nil {
		if err := s.createFile(); err != nil {
			return s.createError(err)
		}
	}
	err := s.View(ctx, func(*Tx) error { return nil })
	if errors.Is(err, ErrNoStore) { // what is there is a link to nothing
		return s.createError(errors.New("the path leads nowhere"))
	}
	return err
}

func (s *Store) createError(err error) error {
	err = fmt.Errorf("create store %s: %w", s.path, err)
	if schema.Remedy(err) == "" {
		err = schema.Hint(err, "choose a place that can be written to and has room")
	}
	return err
}

// createFile writes the store under a name of its own, and links it to the path
// when it is on the disk. A rename would replace another creator's.
func (s *Store) createFile() error {
	temp, err := tempName(s.path)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := initialize(temp); err != nil {
		return err
	}
	fault("create.temp")
	if err := os.Link(temp, s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fault("create.link")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) { // a compaction takes it for left behind
		return err
	}
	fault("create.unlink")
	return SyncDir(filepath.Dir(s.path))
}

func tempName(path string) (string, error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", schema.Hint(fmt.Errorf("no folder %s", dir), "mkdir -p %s", dir)
	}
	var tail [8]byte
	_, _ = rand.Read(tail[:]) // never fails
	return filepath.Join(dir, ".podtrack-"+hex.EncodeToString(tail[:])+".tmp"), nil
}

// initialize writes an empty store to a path where nothing is, and syncs it.
func initialize(path string) error {
	db, err := bbolt.Open(path, 0o666, &bbolt.Options{
		PageSize: pageSize,
		Timeout:  time.Second, // nobody else knows the path
		OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(path, flag|os.O_EXCL, mode)
		},
	})
	if err != nil {
		return err
	}
	err = db.Update(initBuckets) // bbolt syncs what it commits, and the file's size
	return errors.Join(err, db.Close())
}

func initBuckets(btx *bbolt.Tx) error {
	tx := &Tx{buckets: map[string]bucket{}}
	for _, name := range buckets {
		b, err := btx.CreateBucket([]byte(name))
		if err != nil {
			return err
		}
		tx.buckets[name] = writing{b}
	}
	return write(tx, bucketPodtrack, []byte(formatKey), formatRow{Format: formatWhole})
}
