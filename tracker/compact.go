package tracker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/podtrack/podtrack/internal/fault"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// CompactReport describes a finished compaction.
type CompactReport struct {
	Before  int64 `json:"before"`  // size of the old file
	After   int64 `json:"after"`   // size of the new file
	Records int   `json:"records"` // number in the new file
	Stored  int64 `json:"stored"`  // bytes of the records as stored
	Unused  int   `json:"unused"`  // records that were dropped because no row names them
	tempfile.Leftovers
}

// Compact copies everything that is in use to a new file, while others read and write, and replaces
// the store's file by it, which frees the unused space. It locks others out only while it copies
// the last commits and renames the file; those who wait continue in the new file. After a failure
// or a kill, one of the two files is there and complete. Leftovers of killed processes are removed
// first, and are reported even if the rest fails. show is called with the number of bytes copied;
// it may be nil.
func (s *Store) Compact(ctx context.Context, show func(done, total int64)) (c CompactReport, err error) {
	if !filelock.CanReplace {
		return c, schema.Advise(fmt.Errorf("compact %s: %w on this system: others could not tell that the file was "+
			"replaced", s.path, ErrInvalid), AdviceMerge, s.path)
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return c, s.pathError(err)
	}
	at := New(path, s.opts) // the file itself, not a link to it
	at.now = s.now
	if err := at.View(ctx, func(tx *Tx) error { return at.requireIntact(tx.rows.Pages) }); err != nil {
		return c, err
	}
	left := tempfile.Reclaim(path)
	for range maxAttempts {
		if c, err = at.compactFile(ctx, show); !errors.Is(err, ErrReplaced) {
			break
		}
	}
	if err != nil {
		return CompactReport{Leftovers: left}, at.compactError(at.wrapOpenError(err))
	}
	c.Leftovers = left
	return c, nil
}

func (s *Store) compactFile(ctx context.Context, show func(done, total int64)) (c CompactReport, err error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return c, err
	}
	if n := fileinfo.CountLinks(info); n > 1 {
		return c, schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the old "+
			"content", n, ErrInvalid),
			"remove the other names first, and make symbolic links of them")
	}
	temp, err := tempfile.New(s.path, "compact")
	if err != nil {
		return c, err
	}
	defer temp.Remove()
	db, err := createUnsynced(temp.ContentPath())
	if err != nil {
		return c, err
	}
	m := newLiveCopy(s, db, liveCopyOptions{progress: show, emptyBuckets: []string{rows.BucketRemoved}})
	defer m.close()
	if err := errors.Join(copyOwnerTo(temp.ContentPath(), info), readAhead(ctx, s.path), m.runPasses(ctx),
		db.Sync()); err != nil {
		return c, err
	}
	fault.At("compact.followed")
	return s.swapCompacted(ctx, m, temp.ContentPath())
}

// swapCompacted copies the remaining changes and replaces the store's file, while nobody else has
// it open.
func (s *Store) swapCompacted(ctx context.Context, m *liveCopy, temp string) (c CompactReport, err error) {
	o, err := s.openExclusive(ctx)
	if err != nil {
		return c, err
	}
	defer o.close()
	err = s.RecoverDamage(func() error {
		tx, err := s.beginTx(ctx, o)
		if err != nil {
			return err
		}
		return m.finish(ctx, tx)
	})
	if err := errors.Join(err, m.close()); err != nil {
		return c, err
	}
	info, err := o.file.Stat()
	if err != nil {
		return c, err
	}
	c = CompactReport{Before: info.Size(), Records: m.records, Stored: m.stored, Unused: m.unused}
	if c.After, err = finishFile(temp, info, true); err != nil {
		return c, err
	}
	fault.At("compact.copied")
	return c, s.replaceFile(o.file, temp)
}

// readAhead reads a file in order, so that the system caches it. Random access to an uncached file
// takes many times as long.
func readAhead(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(io.Discard, f, maxStaged)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return errors.Join(err, ctx.Err())
}

func (s *Store) compactError(err error) error {
	wrapped := fmt.Errorf("compact %s: %w; the store is as it was", s.path, err)
	switch {
	case schema.Remedy(err) != "":
		return wrapped
	case errors.Is(err, syscall.ENOSPC):
		return schema.Hint(wrapped, "free some space in %s: a compaction needs room for all that is in use",
			filepath.Dir(s.path))
	case errors.Is(err, context.Canceled):
		return wrapped
	}
	return schema.Hint(wrapped, "check that its folder can be written to")
}
