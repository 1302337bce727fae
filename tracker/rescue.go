package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// Rescue is a store's file, however damaged, and a new store beside it that holds
// what could be read of it. Nobody else can use the file until the rescue is
// closed. It must be closed.
type Rescue struct {
	New   *Store // under a name of its own, to be worked on
	Found Salvaged
	Leftovers

	store *Store
	file  *os.File // locked
	temp  *TempDir
}

// Rescue locks the store's file and copies all that is sound in it into a new
// store.
func (s *Store) Rescue(ctx context.Context) (*Rescue, error) {
	if !canSwap {
		return nil, schema.Hint(fmt.Errorf("repair %s: %w on this system: others could not tell that the file was replaced", s.path, ErrInvalid),
			"repair a copy of the file on Linux or macOS")
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, s.pathError(err)
	}
	at := New(path, s.opts) // the file itself, not a link to it
	file, err := at.lockFile(ctx, true)
	if err != nil {
		return nil, err
	}
	r := &Rescue{store: at, file: file}
	if err := r.salvage(ctx); err != nil {
		r.Close()
		err = fmt.Errorf("repair %s: %w", s.path, err)
		if errors.Is(err, ErrNotStore) {
			err = schema.Hint(err, "name a store that podtrack made; nothing in this file was changed")
		}
		return nil, err
	}
	return r, nil
}

func (r *Rescue) salvage(ctx context.Context) (err error) {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if err := r.refuseNames(info); err != nil {
		return err
	}
	if err := r.makeNew(info); err != nil {
		return err
	}
	if r.Found, err = salvage(ctx, r.file, r.New); err != nil {
		return err
	}
	r.Leftovers = Reclaim(r.store.path) // only now it is known to be a store
	return nil
}

// makeNew makes an empty store, before anything is computed for it.
func (r *Rescue) makeNew(like os.FileInfo) (err error) {
	if r.temp, err = NewTempDir(r.store.path, "repair"); err == nil {
		err = initialize(r.temp.File(), 0o600)
	}
	if err != nil {
		return schema.Hint(err, "repair writes a new file beside the old one: make room there and see who may write to that folder, or repair a copy elsewhere")
	}
	r.New = New(r.temp.File(), r.store.opts)
	return ownPath(r.temp.File(), like)
}

func ownPath(path string, like os.FileInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(own(f, like), f.Close())
}

// refuseNames refuses a file that has other names than those that killed processes
// gave it: who uses them would go on with the damaged file.
func (r *Rescue) refuseNames(info os.FileInfo) error {
	own, err := r.ownNames(info)
	if err != nil {
		return err
	}
	if n := links(info); n > own {
		return schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the damaged content", n, ErrInvalid),
			"remove the other names first, and make symbolic links of them")
	}
	return nil
}

// ownNames counts the names of the file that podtrack gave it: the store's, those that
// a killed repair left, and those in the folder of a killed creation.
func (r *Rescue) ownNames(file os.FileInfo) (own uint64, err error) {
	dir, base := filepath.Split(r.store.path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, temporary := parseTempName(e.Name())
		switch {
		case temporary && name.target == targetDigest(r.store.path):
			path = filepath.Join(path, tempContent)
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

// Replace puts the new store in the old one's place, which stays beside it under
// the name that is returned. After a failure the old one has only its own name,
// unless the new one was in its place already.
func (r *Rescue) Replace() (old string, err error) {
	if old, err = r.replace(); err != nil {
		return "", fmt.Errorf("repair %s: %w", r.store.path, err)
	}
	return old, nil
}

func (r *Rescue) replace() (old string, err error) {
	info, err := r.file.Stat()
	if err != nil {
		return "", err
	}
	if _, err := settleFile(r.temp.File(), info, true); err != nil {
		return "", err
	}
	if old, err = r.secondName(info); err != nil {
		return "", schema.Hint(fmt.Errorf("keep the damaged file: %w", err), "repair needs a folder in which it may make files")
	}
	fault("rescue.link")
	if err = r.store.swap(r.file, r.temp.File()); err != nil {
		if mine, _ := r.store.isCurrent(r.file); mine {
			_ = os.Remove(old)
		}
		return "", err
	}
	return old, nil
}

// secondName gives the damaged file another name, on the disk before the first
// one is taken away. A repair that was killed can have done so.
func (r *Rescue) secondName(file os.FileInfo) (old string, err error) {
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
	if err := SyncDir(filepath.Dir(old)); err != nil {
		_ = os.Remove(old)
		return "", err
	}
	return old, nil
}

// Close lets others use the store again. What was not put in its place is
// removed.
func (r *Rescue) Close() {
	if r.temp != nil {
		_ = r.temp.Remove()
	}
	unlock(r.file)
	_ = r.file.Close()
}
