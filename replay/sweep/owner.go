package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrWritableByOthers is the error of a sealed part that other users can have written.
var ErrWritableByOthers = errors.New("others can write to it")

// CheckOwner returns an error for a part whose seal proves nothing: one that belongs to another
// user or that others can write, or one in such a folder.
func (p Part) CheckOwner() error {
	for _, path := range []string{p.Path, filepath.Dir(p.Path)} {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case !isOwnFile(info):
			return schema.Advise(fmt.Errorf("%s: %w: %s belongs to another user", p.Path, ErrWritableByOthers, path),
				AdviceVerifyParts)
		case info.Mode().Perm()&0o022 != 0 && writableByMode:
			return schema.Advise(fmt.Errorf("%s: %w: %s has the mode %v", p.Path, ErrWritableByOthers, path,
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
