package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// A Repair is a store's file, however damaged, with a new store beside it that holds what could be
// read. It must be closed.
type Repair struct {
	NewStore *Store // under a temporary name
	Report   RepairReport
	tempfile.Leftovers

	store    *Store
	salvager *salvager
	snapshot *repairSnapshot // nil if the file cannot be opened as a store
	file     *os.File        // without a snapshot: the file, which nobody else can use until the repair is closed
	temp     *tempfile.Dir

	altered map[schema.Digest]bool // runs with other rows in the new store than in the snapshot

	heldRows int           // rows that changed between the last pass and the exclusive lock
	held     time.Duration // for which others were locked out
}

// checkWritable returns an error if a regular file cannot be opened for writing.
func checkWritable(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err // other files are refused later
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

// beginNew creates the new store, before anything is computed for it.
func (r *Repair) beginNew(ctx context.Context, info os.FileInfo) error {
	if err := r.refuseLinks(info); err != nil {
		return err
	}
	if err := r.createNew(info); err != nil {
		return err
	}
	r.salvager = newSalvager(ctx, r.NewStore, &r.Report)
	return nil
}

func (r *Repair) createNew(like os.FileInfo) (err error) {
	if r.temp, err = tempfile.New(r.store.path, "repair"); err == nil {
		err = initialize(r.temp.ContentPath(), 0o600)
	}
	if err != nil {
		return schema.Hint(err, "repair writes a new file beside the old one: make room there and see who may write "+
			"to that folder, or repair a copy elsewhere")
	}
	r.NewStore = New(r.temp.ContentPath(), r.store.opts)
	r.NewStore.now = r.store.now
	return copyOwnerTo(r.temp.ContentPath(), like)
}

// refuseLinks refuses a file with hard links other than those that killed processes left: whoever
// uses them would continue with the damaged file.
func (r *Repair) refuseLinks(info os.FileInfo) error {
	own, err := r.countOwnNames(info)
	if err != nil {
		return err
	}
	if n := fileinfo.CountLinks(info); n > own {
		return schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the damaged "+
			"content", n, ErrInvalid),
			"remove the other names first, and make symbolic links of them")
	}
	return nil
}

// countOwnNames counts the names that podtrack gave the file: the store's, those that a killed
// repair left, and those in the temporary folder of a killed creation.
func (r *Repair) countOwnNames(file os.FileInfo) (own uint64, err error) {
	dir, base := filepath.Split(r.store.path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		content, temporary := tempfile.ContentOf(path, r.store.path)
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

// damagedName returns the n-th name that a repair can give the damaged file of a path.
func damagedName(path string, n int) string {
	if n == 0 {
		return path + damagedSuffix
	}
	return fmt.Sprintf("%s%s-%d", path, damagedSuffix, n)
}

// isDamagedName reports whether a repair can have given the file base that name.
func isDamagedName(base, name string) bool {
	number, ok := strings.CutPrefix(name, base+damagedSuffix)
	n, _ := strconv.Atoi(strings.TrimPrefix(number, "-"))
	return ok && name == damagedName(base, n)
}

// TakeGaps returns the gaps of the report that it has not returned before.
func (r *Repair) TakeGaps() []Gap {
	gaps := r.salvager.pending
	r.salvager.pending = nil
	return gaps
}

// shortTxs returns a function that runs a step in a short transaction of the store.
func (r *Repair) shortTxs(ctx context.Context) func(func(readStep) error) error {
	return func(read func(readStep) error) error {
		err := r.store.View(ctx, func(tx *Tx) error {
			end := time.Now().Add(shortTxTime)
			return read(readStep{tx, func(size int64) bool {
				return size >= maxStaged || time.Now().After(end) || ctx.Err() != nil
			}})
		})
		if err == nil {
			time.Sleep(shortTxPause)
		}
		return errors.Join(err, ctx.Err())
	}
}
