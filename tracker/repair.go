package tracker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/fault"
	"github.com/podtrack/podtrack/tracker/internal/fileinfo"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// A Repair is a store's file, however damaged, with a new store beside it that holds what could be
// read. It must be closed.
type Repair struct {
	NewStore *Store // under a temporary name
	Report   RepairReport
	tempfile.Leftovers

	store  *Store
	file   *os.File // the file that was read, kept open so that its inode is not reused
	state  fileState
	locked bool // others cannot use the file until the repair is closed
	temp   *tempfile.Dir
}

// ErrChanged reports that other processes used a store while it was repaired.
var ErrChanged = errors.New("others committed to it meanwhile")

// BeginRepair copies everything valid in the store's file to a new store. Others can read
// meanwhile; afterwards they can also write, and [Repair.Replace] reports if they did.
func (s *Store) BeginRepair(ctx context.Context) (*Repair, error) {
	if !filelock.CanReplace {
		return nil, schema.Hint(fmt.Errorf("repair %s: %w on this system: others could not tell that the file was "+
			"replaced", s.path, ErrInvalid),
			"repair a copy of the file on Linux or macOS")
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	if err := checkWritable(path); err != nil { // fail before anything is computed
		return nil, s.pathError(err)
	}
	at := New(path, s.opts) // the file itself, not a link to it
	file, err := at.lockFile(ctx, false)
	if err != nil {
		return nil, err
	}
	r := &Repair{store: at, file: file}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	filelock.Unlock(r.file)
	return r, nil
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

// Retry returns a repair of the file as it is now, after an [ErrChanged]. It reuses what was
// recomputed for r, which must be open. With alone set nobody else can use the file until the
// repair is closed, so that it is final.
func (r *Repair) Retry(ctx context.Context, alone bool) (*Repair, error) {
	file, err := r.store.lockFile(ctx, alone)
	if err != nil {
		return nil, err
	}
	next := &Repair{store: r.store, file: file, locked: alone}
	if err := next.begin(ctx); err != nil {
		return nil, err
	}
	if !alone {
		filelock.Unlock(next.file)
	}
	if err := next.takeOver(ctx, r); err != nil {
		next.Close()
		return nil, fmt.Errorf("repair %s: %w", r.store.path, err)
	}
	return next, nil
}

// begin reads the file, or closes the repair.
func (r *Repair) begin(ctx context.Context) (err error) {
	if r.state, err = readFileState(r.file); err == nil {
		err = r.salvageAll(ctx)
	}
	if err == nil {
		return nil
	}
	r.Close()
	err = fmt.Errorf("repair %s: %w", r.store.path, err)
	if errors.Is(err, ErrNotStore) {
		err = schema.Hint(err, "name a store that podtrack made; nothing in this file was changed")
	}
	return err
}

// takeOver copies missing records, and iterations after a gap, from the new store of an earlier
// repair, which verified them.
func (r *Repair) takeOver(ctx context.Context, earlier *Repair) error {
	runs := []schema.Digest{}
	for _, g := range r.Report.Gaps {
		runs = append(runs, g.Run)
	}
	for _, row := range r.Report.Rows {
		if row.Evaluation != nil {
			runs = append(runs, row.Evaluation.Run)
		}
	}
	if _, err := Copy(ctx, earlier.NewStore, r.NewStore, CopyOptions{Runs: runs}); err != nil {
		return err
	}
	missing, err := r.listMissing(ctx)
	for len(missing) > 0 && err == nil {
		missing, err = r.takeRecords(ctx, earlier.NewStore, missing)
	}
	return err
}

// listMissing returns the records that iterations of the new store name and that it lacks.
func (r *Repair) listMissing(ctx context.Context) (names []schema.Digest, err error) {
	err = r.NewStore.View(ctx, func(tx *Tx) error {
		for key, row := range tx.rowsWithPrefix(bucketIterations, nil) {
			it, err := decodeIteration(key, row)
			if err != nil {
				return err
			}
			for _, e := range it.Records {
				if !tx.HasRecord(e.Name) && !tx.IsPruned(e.Name) {
					names = append(names, e.Name)
				}
			}
		}
		return nil
	})
	return names, err
}

// takeRecords copies some records, about maxStaged bytes, and returns those that are left.
func (r *Repair) takeRecords(
	ctx context.Context, from *Store, names []schema.Digest,
) (left []schema.Digest, err error) {
	var records [][]byte
	err = from.View(ctx, func(tx *Tx) error {
		for size := 0; len(names) > 0 && size < maxStaged; names = names[1:] {
			record, err := tx.ReadRecord(names[0])
			if errors.Is(err, ErrMissing) || errors.Is(err, ErrDamaged) {
				continue
			}
			if err != nil {
				return err
			}
			records, size = append(records, record), size+len(record)
		}
		return nil
	})
	if err != nil || len(records) == 0 {
		return names, err
	}
	return names, r.NewStore.Update(ctx, func(tx *Tx) error {
		for _, record := range records {
			if _, err := tx.RestoreRecord(record); err != nil {
				return err
			}
		}
		return nil
	})
}

// fileState identifies a commit of a file.
type fileState [sha256.Size]byte

// maxMetas is the largest offset at which the second meta page ends.
const maxMetas = 32 << 20

// readFileState hashes the part of a file, however damaged, in which the meta pages are and which
// differs between commits.
func readFileState(f *os.File) (state fileState, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, maxMetas)); err != nil {
		return state, err
	}
	return fileState(h.Sum(nil)), nil
}

func (r *Repair) salvageAll(ctx context.Context) (err error) {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if err := r.refuseLinks(info); err != nil {
		return err
	}
	if err := r.createNew(info); err != nil {
		return err
	}
	if r.Report, err = salvageFile(ctx, r.file, r.NewStore); err != nil {
		return err
	}
	r.Leftovers = tempfile.Reclaim(r.store.path) // the file is now known to be a store
	return nil
}

// createNew creates the new store before anything is computed for it.
func (r *Repair) createNew(like os.FileInfo) (err error) {
	if r.temp, err = tempfile.New(r.store.path, "repair"); err == nil {
		err = initialize(r.temp.ContentPath(), 0o600)
	}
	if err != nil {
		return schema.Hint(err, "repair writes a new file beside the old one: make room there and see who may write "+
			"to that folder, or repair a copy elsewhere")
	}
	r.NewStore = New(r.temp.ContentPath(), r.store.opts)
	return copyOwnerTo(r.temp.ContentPath(), like)
}

func copyOwnerTo(path string, like os.FileInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(fileinfo.CopyOwner(f, like), f.Close())
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

// Replace puts the new store in the old one's place, and returns the name under which the old file
// stays. After a failure the old file has only its own name, unless the new one was in its place
// already. Replace returns [ErrChanged] if the file has changed since it was read.
func (r *Repair) Replace(ctx context.Context) (old string, err error) {
	if err = r.lockUnchanged(ctx); err == nil {
		old, err = r.replaceLocked()
	}
	if err != nil {
		return "", fmt.Errorf("repair %s: %w", r.store.path, err)
	}
	return old, nil
}

// lockUnchanged locks others out, if nothing was committed since the file was read.
func (r *Repair) lockUnchanged(ctx context.Context) error {
	if r.locked {
		return nil
	}
	file, err := r.store.lockFile(ctx, true)
	if err != nil {
		return err
	}
	state, err := readFileState(file)
	if err == nil && !(sameFile(file, r.file) && state == r.state) {
		err = ErrChanged
	}
	if err != nil {
		_ = file.Close()
		return err
	}
	_ = r.file.Close()
	r.file, r.locked = file, true
	return nil
}

func sameFile(a, b *os.File) bool {
	x, err1 := a.Stat()
	y, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func (r *Repair) replaceLocked() (old string, err error) {
	info, err := r.file.Stat()
	if err != nil {
		return "", err
	}
	if _, err := finishFile(r.temp.ContentPath(), info, true); err != nil {
		return "", err
	}
	if old, err = r.linkDamaged(info); err != nil {
		return "", schema.Hint(fmt.Errorf("keep the damaged file: %w", err),
			"repair needs a folder in which it may make files")
	}
	fault.At("repair.link")
	if err = r.store.replaceFile(r.file, r.temp.ContentPath()); err != nil {
		if mine, _ := r.store.isCurrent(r.file); mine {
			_ = os.Remove(old)
		}
		return "", err
	}
	return old, nil
}

// linkDamaged gives the damaged file another name, synced before the first name is replaced. A
// killed repair may have done so already.
func (r *Repair) linkDamaged(file os.FileInfo) (old string, err error) {
	for n := 0; ; n++ {
		old = damagedName(r.store.path, n)
		if err = os.Link(r.store.path, old); !errors.Is(err, os.ErrExist) {
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

// Close lets others use the store again, and removes the new store unless it was put in place.
func (r *Repair) Close() {
	if r.temp != nil {
		_ = r.temp.Remove()
	}
	filelock.Unlock(r.file)
	_ = r.file.Close()
}
