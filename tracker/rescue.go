package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
)

// Rescue is a store's file, however damaged, and a new store beside it that holds
// what could be read of it. Nobody else can use the file until the rescue is
// closed. It must be closed.
type Rescue struct {
	New   *Store // under a name of its own, to be worked on
	Found Salvaged

	store *Store
	file  *os.File // locked
	temp  string
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
	r.store.clean(info)
	if info, err = r.file.Stat(); err != nil {
		return err
	}
	if err := r.refuseNames(info); err != nil {
		return err
	}
	temp, err := r.store.ownTemp()
	if err != nil {
		return err
	}
	r.temp = temp
	if err := initialize(temp); err != nil {
		return schema.Hint(err, "repair writes a new file beside the old one: make room there and see who may write to that folder, or repair a copy elsewhere")
	}
	if err := ownPath(temp, info); err != nil { // before anything is computed for it
		return err
	}
	r.New = New(temp, r.store.opts)
	r.Found, err = salvage(ctx, r.file, r.New)
	return err
}

func ownPath(path string, like os.FileInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(own(f, like), f.Close())
}

// refuseNames refuses a file that has other names than those that a killed repair
// may have given it: who uses them would go on with the damaged file.
func (r *Rescue) refuseNames(info os.FileInfo) error {
	own := uint64(1)
	damaged, _ := filepath.Glob(r.store.path + ".damaged*")
	for _, path := range damaged {
		if there, err := os.Lstat(path); err == nil && os.SameFile(there, info) {
			own++
		}
	}
	if n := links(info); n > own {
		return schema.Hint(fmt.Errorf("the file has %d names (hard links): %w: the others would keep the damaged content", n, ErrInvalid),
			"remove the other names first, and make symbolic links of them")
	}
	return nil
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
	if _, err := settleFile(r.temp, info); err != nil {
		return "", err
	}
	if old, err = r.secondName(info); err != nil {
		return "", schema.Hint(fmt.Errorf("keep the damaged file: %w", err), "repair needs a folder in which it may make files")
	}
	fault("rescue.link")
	if err = r.store.swap(r.file, r.temp); err != nil {
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
		if old = r.store.path + ".damaged"; n > 0 {
			old = fmt.Sprintf("%s.damaged-%d", r.store.path, n)
		}
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
	if r.temp != "" {
		_ = os.Remove(r.temp)
	}
	unlock(r.file)
	_ = r.file.Close()
}
