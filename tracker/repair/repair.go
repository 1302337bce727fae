// Package repair is podtrack's own: it makes a new store from the valid parts of a damaged file.
//
// [Begin] reads the tree, verifies the checksum of every row and the digest of every record, and, if the tree
// is damaged, searches all pages for rows and records. Then it makes the rows of the new store consistent. The
// caller fills its gaps, and [Repair.Replace] puts it in the place of the damaged file, which is kept.
package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// A Repair is a store's file, however damaged, and a new store beside it with everything valid. It must be closed.
type Repair struct {
	NewStore *tracker.Store // under a temporary name
	Report   Report
	tempfile.Leftovers

	store    *tracker.Store // the file itself, behind symbolic links
	exchange *tracker.Exchange
	temp     *tempfile.Dir
}

// Begin copies everything valid in the store's file to a new store. Until the repair is closed, other processes
// can read the readable parts of the file, and writers wait. held is as in [tracker.Store.BeginExchange].
func Begin(ctx context.Context, s *tracker.Store) (*Repair, error) {
	at, err := s.FollowLinks()
	if err != nil {
		return nil, err
	}
	r := &Repair{store: at}
	if r.exchange, err = at.BeginExchange(ctx); err == nil {
		err = r.salvage(ctx)
	}
	if err == nil {
		r.Leftovers = tempfile.Reclaim(at.Path()) // the file is now known to be a store
		return r, nil
	}
	r.Close()
	err = fmt.Errorf("repair %s: %w", at.Path(), err)
	if errors.Is(err, tracker.ErrNotStore) {
		err = schema.Hint(err, "name a store that podtrack made; nothing in this file was changed")
	}
	return nil, err
}

func (r *Repair) salvage(ctx context.Context) error {
	info, err := r.exchange.File().Stat()
	if err != nil {
		return err
	}
	own, err := r.countOwnNames(info)
	if err == nil {
		err = r.exchange.RefuseLinks(own, "damaged")
	}
	if err != nil {
		return err
	}
	if err := r.createNew(info); err != nil {
		return err
	}
	return newSalvager(ctx, r.NewStore, &r.Report).salvageFile(r.exchange.File())
}

// Replace puts the new store in the place of the old file, and returns the new name of the old file. The error
// is [tracker.ErrReplaced] if the old file was changed or replaced since the repair began. If Replace fails,
// the old file keeps its name, unless the new one has already taken its place.
func (r *Repair) Replace(ctx context.Context) (old string, err error) {
	if old, err = r.replace(ctx); err != nil {
		return "", fmt.Errorf("repair %s: %w", r.store.Path(), err)
	}
	return old, nil
}

func (r *Repair) replace(ctx context.Context) (old string, err error) {
	x := r.exchange
	info, err := x.File().Stat()
	if err != nil {
		return "", err
	}
	if _, err := newfile.Finish(r.temp.ContentPath(), info, true); err != nil {
		return "", err
	}
	fault.At("repair.finished")
	err = x.Replace(ctx, r.temp.ContentPath(), func() error {
		if old, err = r.linkDamaged(info); err != nil {
			return schema.Hint(fmt.Errorf("keep the damaged file: %w", err),
				"repair needs a folder in which it can create files")
		}
		fault.At("repair.link")
		return nil
	})
	if err != nil && old != "" {
		if mine, _ := x.IsCurrent(); mine {
			_ = os.Remove(old)
		}
	}
	return old, err
}

// linkDamaged gives the damaged file another name, which is synced before the first name is replaced. A killed
// repair may have given it that name already.
func (r *Repair) linkDamaged(file os.FileInfo) (old string, err error) {
	for n := 0; ; n++ {
		old = damagedName(r.store.Path(), n)
		if err = os.Link(r.store.Path(), old); !errors.Is(err, os.ErrExist) {
			break
		}
		if there, err := os.Lstat(old); err == nil && os.SameFile(there, file) {
			break
		}
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if err := tempfile.SyncDir(filepath.Dir(old)); err != nil {
		_ = os.Remove(old)
		return "", err
	}
	return old, nil
}

// createNew creates the new store, before anything is computed for it.
func (r *Repair) createNew(like os.FileInfo) (err error) {
	if r.temp, err = tempfile.New(r.store.Path(), "repair"); err == nil {
		err = newfile.Initialize(r.temp.ContentPath(), 0o600)
	}
	if err != nil {
		return schema.Hint(err, "repair writes a new file beside the old one: free space there and check who may write "+
			"to that folder, or repair a copy elsewhere")
	}
	r.NewStore = tracker.New(r.temp.ContentPath(), r.store.Options())
	return newfile.CopyOwnerTo(r.temp.ContentPath(), like)
}

// countOwnNames counts the names that podtrack gave the file: the store's, those that a killed
// repair left, and those in the temporary folder of a killed creation.
func (r *Repair) countOwnNames(file os.FileInfo) (own uint64, err error) {
	dir, base := filepath.Split(r.store.Path())
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		content, temporary := tempfile.ContentOf(path, r.store.Path())
		switch {
		case temporary:
			path = content
		case e.Name() != base && !isDamagedName(base, e.Name()):
			continue
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(there, file) {
			own++
		}
	}
	return own, nil
}

const damagedSuffix = ".damaged"

func damagedName(path string, n int) string {
	if n == 0 {
		return path + damagedSuffix
	}
	return fmt.Sprintf("%s%s-%d", path, damagedSuffix, n)
}

// isDamagedName reports whether name is one that a repair gives the damaged file of base.
func isDamagedName(base, name string) bool {
	number, ok := strings.CutPrefix(name, base+damagedSuffix)
	n, _ := strconv.Atoi(strings.TrimPrefix(number, "-"))
	return ok && name == damagedName(base, n)
}

// Close lets other processes write to the store again, and removes the new store unless it was put in place.
func (r *Repair) Close() {
	if r.temp != nil {
		_ = r.temp.Remove()
	}
	if r.exchange != nil {
		r.exchange.Close()
	}
}
