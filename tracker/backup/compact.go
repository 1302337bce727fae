package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// A CompactReport describes a finished compaction.
type CompactReport struct {
	Before  int64 `json:"before"`  // size of the old file
	After   int64 `json:"after"`   // size of the new file
	Records int   `json:"records"` // number in the new file
	Stored  int64 `json:"stored"`  // bytes of the records as stored
	Unused  int   `json:"unused"`  // dropped records, which no row names
	tempfile.Leftovers
}

// Compact copies everything in use to a new file, and replaces the store's file by it, which frees the unused
// space. Meanwhile other processes can read the store; writers wait, and continue in the new file. After a
// failure or a kill, the store is one of the two files, complete. Leftovers of killed processes are removed
// first, and are reported even if the rest fails. progress is called with the number of bytes copied; it may be nil.
func Compact(
	ctx context.Context, s *tracker.Store, progress func(done, total int64),
) (c CompactReport, err error) {
	at, err := s.FollowLinks()
	if err != nil {
		return c, err
	}
	if err := at.View(ctx, func(tx *tracker.Tx) error { return at.RequireIntact(tx.Rows().Pages) }); err != nil {
		return c, err
	}
	left := tempfile.Reclaim(at.Path())
	for range maxAttempts {
		if c, err = compactFile(ctx, at, progress); !errors.Is(err, tracker.ErrReplaced) {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("compact %s: %w; the store is unchanged", at.Path(), at.WrapOpenError(err))
		return CompactReport{Leftovers: left}, tracker.HintCopy(err, at.Path())
	}
	c.Leftovers = left
	return c, nil
}

func compactFile(
	ctx context.Context, s *tracker.Store, progress func(done, total int64),
) (c CompactReport, err error) {
	x, err := s.BeginExchange(ctx)
	if err != nil {
		return c, err
	}
	defer x.Close()
	if x.Damage != nil {
		return c, x.Damage
	}
	if err := x.RefuseLinks(1, "old"); err != nil {
		return c, err
	}
	info, err := x.File().Stat()
	if err != nil {
		return c, err
	}
	temp, err := tempfile.New(s.Path(), "compact")
	if err != nil {
		return c, err
	}
	defer temp.Remove()
	if c, err = copyInUse(ctx, s, x, info, temp.ContentPath(), progress); err != nil {
		return c, err
	}
	c.Before = info.Size()
	if c.After, err = newfile.Finish(temp.ContentPath(), info, true); err != nil {
		return c, err
	}
	fault.At("compact.copied")
	return c, x.Replace(ctx, temp.ContentPath(), nil)
}

func copyInUse(
	ctx context.Context, s *tracker.Store, x *tracker.Exchange, like os.FileInfo, path string,
	show func(done, total int64),
) (c CompactReport, err error) {
	db, err := newfile.OpenUnsynced(path, os.O_EXCL)
	if err != nil {
		return c, err
	}
	if err = newfile.CopyOwnerTo(path, like); err == nil {
		err = readAhead(ctx, s.Path())
	}
	m := newLiveCopy(s, db, true, show)
	if err == nil {
		err = s.RecoverDamage(func() error { return m.finish(ctx, x.Tx) })
	}
	return CompactReport{Records: m.records, Stored: m.stored, Unused: m.unused}, errors.Join(err, m.close())
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
		_, err = io.CopyN(io.Discard, f, 16<<20)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return errors.Join(err, ctx.Err())
}
