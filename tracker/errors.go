package tracker

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Errors that keep a store from being read or written.
var (
	ErrNoStore  = errors.New("there is no store")
	ErrNotStore = errors.New("not a podtrack store, or damaged beyond opening")
	ErrNewer    = errors.New("the store was made by a newer podtrack")
	ErrLocked   = errors.New("locked")
	ErrCommit   = errors.New("commit")
)

// Errors about the contents of a store.
var (
	ErrDamaged = errors.New("damaged")
	ErrMissing = errors.New("not in the store")
	ErrPruned  = errors.New("pruned")
)

// Errors that keep a run from being worked on or annotated.
var (
	ErrLeaseLost = errors.New("another process took the run over")
	ErrReleased  = errors.New("the run has been released")
	ErrInvalid   = storeerr.ErrInvalid
	ErrTaken     = errors.New("taken")
)

// HeldError reports that a living process works on the run. It matches [ErrLocked].
type HeldError struct {
	Run            schema.Digest
	Lease          Lease
	SinceHeartbeat time.Duration // since the lease's last heartbeat
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("run %.7s is being worked on by process %d on %s since %s, last heard of %d s ago",
		e.Run, e.Lease.PID, e.Lease.Host, time.Unix(0,
			e.Lease.Since).Format(time.DateTime), int(e.SinceHeartbeat.Seconds()))
}

// Is reports whether target is [ErrLocked].
func (e *HeldError) Is(target error) bool { return target == ErrLocked }

// heldError returns the error for a run with a live lease. Only time tells whether an owner on
// another machine is gone.
func (t *Tx) heldError(run schema.Digest, l Lease) error {
	heard := t.store.now().Sub(time.Unix(0, l.Beat))
	err := &HeldError{Run: run, Lease: l, SinceHeartbeat: max(heard, 0)}
	if l.isOfThisMachine() {
		return schema.Hint(err, "wait for process %d on %s, or end it", l.PID, l.Host)
	}
	left := max(t.store.opts.LeaseAfter-heard, 0).Round(time.Second) + time.Second
	return schema.Hint(err, "whether process %d on %s still runs cannot be seen from here; unless it is heard of "+
		"again, the run can be taken over in %d s",
		l.PID, l.Host, int(left.Seconds()))
}

func noStoreError(path string) error {
	return schema.Advise(fmt.Errorf("open %s: %w", path, ErrNoStore), AdviceNoStore)
}

func notStoreError(path, why string) error {
	return schema.Hint(fmt.Errorf("open %s: %w: %s", path, ErrNotStore, why),
		"name a store that podtrack made; nothing in this file was changed")
}

// unopenableError returns an [ErrNotStore] for a damaged file that podtrack may have made.
func unopenableError(path, why string) error {
	return schema.Advise(notStoreError(path, why), AdviceRepair, path)
}

func damagedError(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDamaged), AdviceCheck)
}

func missingError(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrMissing), AdviceMissing)
}

// prunedError returns an [ErrPruned]. A pruned record is not damaged: it was dropped on purpose,
// and replay can restore it.
func prunedError(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrPruned), AdviceRestore)
}

// WithRepairHint adds a remedy that names the run to an [ErrPruned]. A record alone may belong to
// many runs.
func WithRepairHint(err error, run string) error {
	if !errors.Is(err, ErrPruned) {
		return err
	}
	return schema.Advise(err, AdviceRestoreRun, run)
}

// commitError adds a remedy to a commit's error, unless it has one. bbolt passes on only the text
// of system errors.
func commitError(path string, err error) error {
	wrapped := fmt.Errorf("%w to %s: %w", ErrCommit, path, err)
	if schema.Remedy(err) != "" {
		return wrapped
	}
	if strings.Contains(err.Error(), syscall.ENOMEM.Error()) {
		return schema.Hint(wrapped, "the store is mapped, and no addresses are left for it: raise the limit on "+
			"them (ulimit -v); what was recorded before is still there")
	}
	return schema.Hint(wrapped, "make room on that disk, or see what is wrong with it, and give the command again; "+
		"what was recorded before is still there")
}
