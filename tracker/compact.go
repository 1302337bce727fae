package tracker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// Compacted is what a compaction did.
type Compacted struct {
	Before  int64 `json:"before"`  // bytes of the file
	After   int64 `json:"after"`   // bytes of the file that took its place
	Records int   `json:"records"` // that are in it
	Stored  int64 `json:"stored"`  // bytes of those as stored
	Unused  int   `json:"unused"`  // records that no row named, left behind
	Leftovers
}

// Compact writes what is live in the store into a new file, key after key, and
// lets that take the place of the old one, whose space is then free. The lock of
// the old file is held all the while; who waits for it goes on in the new one.
// A failure or a kill leaves the one file or the other, whole. What killed processes
// left beside the store goes first, and is told also where the rest fails.
func (s *Store) Compact(ctx context.Context) (c Compacted, err error) {
	if !canSwap {
		return c, schema.Hint(fmt.Errorf("compact %s: %w on this system: others could not tell that the file was replaced", s.path, ErrInvalid),
			"podtrack merge %s --store NEW copies all runs into a new store, without what was removed", schema.ShellPath(s.path))
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return c, s.pathError(err)
	}
	at := New(path, s.opts) // the file itself, not a link to it
	at.now = s.now
	o, err := at.open(ctx, true)
	if err != nil {
		return c, err
	}
	defer o.close()
	var tx *Tx
	err = at.guard(func() (err error) {
		tx, err = at.begin(o)
		return err
	})
	if err != nil {
		return c, at.beyondOpening(err)
	}
	if c, err = at.compact(ctx, o, tx); err != nil {
		return Compacted{Leftovers: c.Leftovers}, at.compactError(err)
	}
	return c, nil
}

// compact is for who holds the lock. Nothing is written through tx.
func (s *Store) compact(ctx context.Context, o *opened, tx *Tx) (c Compacted, err error) {
	c.Leftovers = Reclaim(s.path)
	info, err := o.file.Stat()
	if err != nil {
		return c, err
	}
	if n := links(info); n > 1 {
		return c, schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the old content", n, ErrInvalid),
			"remove the other names first, and make symbolic links of them")
	}
	temp, err := NewTempDir(s.path, "compact")
	if err != nil {
		return c, err
	}
	defer temp.Remove()
	c.Before = info.Size()
	warm(o.file)
	if err := s.guard(func() error { return c.fill(ctx, tx, temp.File()) }); err != nil {
		return c, err
	}
	if c.After, err = settleFile(temp.File(), info); err != nil {
		return c, err
	}
	fault("compact.copied")
	return c, s.swap(o.file, temp.File())
}

// warm has the file read ahead in order: page by page it would take many times as
// long where it is not in memory.
func warm(f *os.File) {
	_, _ = io.Copy(io.Discard, io.NewSectionReader(f, 0, math.MaxInt64))
}

// swap puts the new file in the place of the locked one.
func (s *Store) swap(old *os.File, temp string) error {
	current, err := s.isCurrent(old)
	if err != nil {
		return err
	}
	if !current {
		return schema.Hint(errors.New("another file took its place meanwhile"), "look at what is there, and try again")
	}
	if err := os.Rename(temp, s.path); err != nil {
		return err
	}
	fault("compact.renamed")
	if err := SyncDir(filepath.Dir(s.path)); err != nil {
		return err
	}
	fault("compact.synced")
	return nil
}

// settleFile cuts off what bbolt reserved, makes the new file as accessible as the
// old one, brings it to the disk, and returns its size.
func settleFile(path string, like os.FileInfo) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	m, err := pages.Open(f, info.Size())
	if err != nil {
		return 0, fmt.Errorf("the new file: %w", err)
	}
	size = int64(m.End) * m.PageSize
	return size, errors.Join(f.Truncate(size), own(f, like), f.Chmod(like.Mode().Perm()), f.Sync())
}

func (s *Store) compactError(err error) error {
	wrapped := fmt.Errorf("compact %s: %w; the store is as it was", s.path, err)
	switch {
	case schema.Remedy(err) != "":
		return schema.Hint(wrapped, "%s", schema.Remedy(err))
	case errors.Is(err, syscall.ENOSPC):
		return schema.Hint(wrapped, "a compaction needs room in %s for all that is in use; make some", filepath.Dir(s.path))
	case errors.Is(err, context.Canceled):
		return wrapped
	}
	return schema.Hint(wrapped, "check that its folder can be written to")
}
