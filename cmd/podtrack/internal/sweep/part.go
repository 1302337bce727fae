package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Part is a store with some runs of a worker, sealed by the SHA-256 of its bytes in its name.
type Part struct {
	Path  string
	shard Shard // that its process worked on
	seal  string
}

var partName = textfmt.Pattern(`^([0-9]+)-of-([0-9]+)\.[A-Z0-9]+\.[0-9]+\.([0-9a-f]{64})\.db$`)

// parts returns the parts in the folder, ordered by name.
func (f Folder) parts() (parts []Part, err error) {
	if err := checkDir(f.partsPath()); err != nil {
		return nil, f.addHint(err)
	}
	entries, err := os.ReadDir(f.partsPath())
	if err != nil {
		return nil, f.addHint(err)
	}
	for _, e := range entries {
		if p, ok := PartAt(filepath.Join(f.partsPath(), e.Name())); ok {
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// PartAt returns the part that a file is by its name, false if it is none.
func PartAt(path string) (Part, bool) {
	m := partName().FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return Part{}, false
	}
	i, err1 := strconv.Atoi(m[1])
	n, err2 := strconv.Atoi(m[2])
	s := Shard{i, n}
	return Part{path, s, m[3]}, err1 == nil && err2 == nil && n > 0 && n <= MaxShards && s.check() == nil
}

// Verify compares the part with its seal. The error is [fs.ErrNotExist] if the part is gone.
func (p Part) Verify(ctx context.Context) error {
	err := p.isFile()
	seal := ""
	if err == nil {
		seal, err = hashFile(ctx, p.Path)
	}
	if err == nil && seal != p.seal {
		err = schema.Hint(fmt.Errorf("%s: %w", p.Path, errPart),
			"it was damaged in transit: remove it; its runs are computed again when the sweep continues")
	}
	return err
}

// checkReadable checks that the part can be opened, without verifying it.
func (p Part) checkReadable(context.Context) error {
	if err := p.isFile(); err != nil {
		return err
	}
	file, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	return file.Close()
}

// isFile returns an error unless the part is a regular file.
func (p Part) isFile() error {
	info, err := os.Lstat(p.Path)
	if err == nil && !info.Mode().IsRegular() {
		return schema.Hint(fmt.Errorf("%s: %w: it is no file", p.Path, errPart), "remove it; podtrack did not make it")
	}
	return err
}

// hashFile returns the SHA-256 of a file, in hexadecimal.
func hashFile(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	buffer := make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := file.Read(buffer)
		h.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
}

// forEachPart calls look with each part that verify accepts. A part that vanishes meanwhile was
// gathered; errors of damaged or unreadable parts are returned in bad.
func forEachPart(
	ctx context.Context, parts []Part, verify func(Part, context.Context) error, look func(Part) error,
) (bad []error, err error) {
	for _, p := range parts {
		err := verify(p, ctx)
		unread := err != nil && ctx.Err() == nil
		if err == nil {
			err = look(p)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, tracker.ErrNoStore):
		case unread, errors.Is(err, tracker.ErrDamaged), errors.Is(err, tracker.ErrNotStore):
			bad = append(bad, err)
		case err != nil:
			return bad, err
		}
	}
	return bad, nil
}

// open returns the part as a store.
func (p Part) open() *tracker.Store { return tracker.New(p.Path, tracker.Options{}) }

// errWritableByOthers is the error of a sealed part that other users can have written.
var errWritableByOthers = errors.New("others can write to it")

// CheckOwner returns an error for a part whose seal proves nothing: one that belongs to another
// user or that others can write, or one in such a folder.
func (p Part) CheckOwner() error {
	for _, path := range []string{p.Path, filepath.Dir(p.Path)} {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case !isOwnFile(info):
			return schema.Advise(fmt.Errorf("%s: %w: %s belongs to another user", p.Path, errWritableByOthers, path),
				AdviceVerifyParts)
		case info.Mode().Perm()&0o022 != 0 && writableByMode:
			return schema.Advise(fmt.Errorf("%s: %w: %s has the mode %v", p.Path, errWritableByOthers, path,
				info.Mode().Perm()), AdviceProtectParts, path)
		}
	}
	return nil
}

// SubmittedFrom reports whether the store at that path is one that this sweep was
// submitted from, or gathered into, by this user: the store says so, not the folder.
// Stores know it of sweeps with a tag.
func (f Folder) SubmittedFrom(ctx context.Context, path string) bool {
	there, err := os.Stat(f.Path)
	if err != nil || !filepath.IsAbs(path) {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !isOwnFile(info) {
		return false
	}
	found := false
	err = tracker.New(path, tracker.Options{}).View(ctx, func(tx *tracker.Tx) error {
		plans, err := tx.ReadPlannedTags()
		for _, p := range plans {
			info, err := os.Stat(p.Folder)
			found = found || err == nil && filepath.IsAbs(p.Folder) && os.SameFile(info, there)
		}
		return err
	})
	return err == nil && found
}
