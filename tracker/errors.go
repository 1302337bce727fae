package tracker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Errors that keep a store from being read or written.
var (
	ErrNoStore  = errors.New("there is no store")
	ErrNotStore = errors.New("not a podtrack store, or damaged beyond opening")
	ErrFormat   = errors.New("the store was made by another version of podtrack")
	ErrLocked   = errors.New("locked")
	ErrCommit   = errors.New("commit")
)

// Errors about the contents of a store.
var (
	ErrDamaged = storeerr.ErrDamaged
	ErrMissing = storeerr.ErrMissing
	ErrPruned  = storeerr.ErrPruned
)

// Errors that keep a run from being worked on or annotated.
var (
	ErrLeaseLost = errors.New("another process took the run over")
	ErrReleased  = errors.New("the run has been released")
	ErrInvalid   = storeerr.ErrInvalid
	ErrTaken     = errors.New("taken")
	ErrNamed     = errors.New("there is a run of this spec already")
)

func notStoreError(path, why string) error {
	return schema.Hint(fmt.Errorf("open %s: %w: %s", path, ErrNotStore, why),
		"name a store that podtrack made; nothing in this file was changed")
}

// unopenableError returns [ErrNotStore] for a damaged file that podtrack may have made.
func unopenableError(path, why string) error {
	return schema.Hint(notStoreError(path, why), AdviceRepair, path)
}

// WithRepairHint adds a remedy that names the run to an [ErrPruned]. Without it the remedy names none, since a
// record may belong to many runs.
func WithRepairHint(err error, run string) error {
	if !errors.Is(err, ErrPruned) {
		return err
	}
	return schema.Hint(err, AdviceRestoreRun, run)
}

// commitError adds a remedy to a commit's error, unless it has one. bbolt returns only the text of system errors.
func commitError(path string, err error) error {
	wrapped := fmt.Errorf("%w to %s: %w", ErrCommit, path, err)
	remedy := "free space on that disk, or find out what is wrong with it, and rerun the command"
	switch text := err.Error(); {
	case schema.Remedy(err) != "":
		return wrapped
	case strings.Contains(text, syscall.EFBIG.Error()):
		remedy = "the limit on the size of files is too low: raise it, for example by ulimit -f unlimited, and rerun the " +
			"command"
	case strings.Contains(text, syscall.ENOMEM.Error()):
		remedy = "no addresses are left for mapping the store: raise the limit on them (ulimit -v)"
	}
	return schema.Hint(wrapped, "%s; what was recorded before is still there", remedy)
}

// Advice of this package's errors.
const (
	AdviceCheck   = storeerr.AdviceCheck
	AdviceMissing = storeerr.AdviceMissing
	AdviceSearch  = "list the runs, and search them for %q"
	AdviceRestore = storeerr.AdviceRestore

	AdviceCheckRecords = "check every record of store %s, and repair it"
	AdviceMerge        = "merge store %s into a new one"
	AdviceNoStudy      = "make the runs of a study"
	AdviceNoStore      = "make a store, or name one"
	AdviceOtherName    = "choose another name, or remove this one from run %s"
	AdviceRename       = "rename run %s to %s on purpose"
	AdviceOtherFile    = "choose another file, or replace this one"
	AdviceRepair       = "repair %s if it is a store; nothing in it was changed"
	AdviceRestoreRun   = "recompute what was pruned of run %s"
	AdviceWait         = "try again when the other process is done with it, or wait longer"
)

// HintCopy adds a remedy to the error of a copy to path, unless it has one or the copy was interrupted.
func HintCopy(err error, path string) error {
	switch {
	case schema.Remedy(err) != "" || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return schema.Hint(err, "free some space in %s: a copy needs room for all that is in use",
			textfmt.ShellPath(filepath.Dir(path)))
	}
	return schema.Hint(err, "check that its folder can be written to")
}
