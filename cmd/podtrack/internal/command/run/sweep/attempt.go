package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep/slurm"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

const (
	// lastPart is the time that a task may take to save after a signal to stop. It is less than the
	// warning time before Slurm's time limit.
	lastPart = (slurm.Warning - 20) * time.Second
	// savesShare limits the time that a task spends on saving to 1/savesShare.
	savesShare = 20
)

// attempt executes the runs of a shard in a store on a local disk, and saves its results to the
// sweep's folder.
func (s sweepRun) attempt() error {
	shard, err := s.shard()
	if err == nil && s.given {
		err = s.folder.Init(s.plan)
	}
	if err != nil {
		return err
	}
	s.leftovers = s.folder.RemoveTempFiles()
	scratch, err := s.scratch()
	if err != nil {
		return err
	}
	local := cmdline.StoreAt(s.Context, scratch.ContentPath())
	unsaved := unsavedCopy{key: absolutePath(s.folder.Path) + " " + shard.String()}
	unsaved.file = tempfile.FindKept(scratch.Path(), "sweep", unsaved.key)
	result, err := s.attemptIn(local, shard, &unsaved)
	var lost *unsavedError
	if errors.As(err, &lost) && errors.Is(err, tracker.ErrDamaged) {
		return errors.Join(err, scratch.Remove()) // everything sound is saved by now
	}
	unsaved.settle()
	if errors.As(err, &lost) {
		return schema.Hint(err,
			"make room in %s, or make it writable; then rerun the command here to save what this task "+
				"made, or podtrack merge %s --store %s takes it",
			s.folder.Path, textfmt.ShellPath(scratch.Preserve(unsaved.key)), textfmt.ShellQuote(s.path))
	}
	if e := scratch.Remove(); err == nil {
		err = e
	}
	if why := cmp.Or(err, result.First); errors.Is(why, tracker.ErrCommit) {
		return schema.Hint(fmt.Errorf("in %s: %w", scratch.Path(), why),
			"make room there, or name another disk with --scratch DIR; what was saved is in %s; rerun the command to "+
				"continue from it",
			s.folder.Path)
	}
	return s.verdict(result, err)
}

// unsavedError is an error after which the results are on the local disk only.
type unsavedError struct{ error }

func (u *unsavedError) Unwrap() error { return u.error }

// unsavedCopy is the store of an earlier task of this shard that could not save what it had made.
type unsavedCopy struct {
	key  string
	file string // "" for none

	taken bool // the worker's store has all of it
}

// take copies what the earlier task made into the worker's store. A copy that cannot be read stays, and is only named.
func (u *unsavedCopy) take(s sweepRun, a *sweep.Worker, progress *sweep.Progress) {
	if u.file == "" {
		return
	}
	err := a.TakeKept(s.Context.Context, cmdline.StoreAt(s.Context, u.file), progress)
	if u.taken = err == nil; !u.taken {
		cmdline.PrintLine(s.App.ErrWriter, "not taken: what an earlier task could not save, %s: %v", u.file, err)
	}
}

// settle removes the copy, once the folder or another copy has all that was taken from it.
func (u *unsavedCopy) settle() {
	if u.taken {
		_ = tempfile.RemoveKept(u.file) // a copy that stays is taken again
	}
}

// scratch creates a folder on a local disk, and removes the folders that killed tasks left there.
func (s *sweepRun) scratch() (*tempfile.Dir, error) {
	parent, named := cmp.Or(os.Getenv("SLURM_TMPDIR"), os.TempDir()), s.flags.scratch != nil
	if named {
		parent = *s.flags.scratch
	}
	if _, err := os.Stat(parent); err != nil && !named {
		cmdline.PrintLine(s.App.ErrWriter, "there is no folder %s, which TMPDIR names: working in /tmp; --scratch DIR names "+
			"another", parent)
		parent = "/tmp" // TMPDIR may come from the machine on which the job was submitted
	}
	path := filepath.Join(parent, "podtrack-sweep")
	s.leftovers.Append(tempfile.Reclaim(path))
	cmdline.PrintLeftovers(s.App.ErrWriter, s.leftovers)
	dir, err := tempfile.New(path, "sweep")
	if err != nil {
		err = schema.Hint(fmt.Errorf("work in %s: %w", parent, err),
			"name a folder on a local disk that can be written to: --scratch DIR")
	}
	return dir, err
}

func (s sweepRun) attemptIn(local *tracker.Store, shard sweep.Shard, unsaved *unsavedCopy) (
	r sweep.Result, err error,
) {
	ctx := s.Context.Context
	if err := local.Initialize(); err != nil {
		return r, err
	}
	a := s.folder.NewWorker(shard, local)
	progress := s.newProgress(shard)
	bad, err := a.RestoreParts(ctx, s.store(), progress)
	s.printLeftOut(bad)
	if err != nil {
		return r, err
	}
	unsaved.take(s, a, progress)
	cmdline.PrintLine(s.App.ErrWriter, "shard %s: %s there already; working in %s", shard,
		cmdline.Plural(progress.Count().Complete, "run"), filepath.Dir(local.Path()))
	stop := s.keepSaving(a)
	r, err = s.work(ctx, local, progress)
	stop()
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPart)
	defer cancel()
	if e := a.Save(saving); e != nil {
		return r, &unsavedError{errors.Join(e, err)}
	}
	if _, e := progress.ScanAll(saving, local); e != nil {
		return r, errors.Join(err, e)
	}
	if e := s.printShard(s.summary(progress).after(r), shard); err == nil {
		err = e
	}
	if ctx.Err() != nil && a.PartsWritten() > 0 {
		s.requeue()
	}
	return r, err
}

// shardReport is the output of a shard.
type shardReport struct {
	summary
	tempfile.Leftovers
}

// printShard prints the shard's progress. It leaves out the progress by spec, which the gathering
// command prints.
func (s sweepRun) printShard(all summary, shard sweep.Shard) error {
	return cmdline.Answer{JSON: shardReport{all, s.leftovers}, Text: func(w table.Text) {
		fmt.Fprintf(w, "shard %s: %s\n", shard, s.progressText(all))
	}}.Print(s.Context)
}

// printLeftOut prints which parts are damaged and left out.
func (s sweepRun) printLeftOut(bad []error) {
	lines := make([]string, len(bad))
	for i, err := range bad {
		lines[i] = fmt.Sprintf("left out: %v", err)
	}
	cmdline.PrintSome(s.App.ErrWriter, cmdline.MaxNotices, lines)
}

// keepSaving saves periodically until stop is called. It only reports a failed save: a later one
// may succeed, and the final save is made in any case.
func (s sweepRun) keepSaving(a *sweep.Worker) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context.Context)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		every := usualSaveEvery
		if s.flags.saveEvery != nil {
			every = *s.flags.saveEvery
		}
		for wait := every; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			begun := time.Now()
			if err := a.Save(ctx); err != nil && ctx.Err() == nil {
				cmdline.PrintLine(s.App.ErrWriter, "not saved now: %v", err)
			}
			wait = max(every, savesShare*time.Since(begun))
		}
	}()
	return func() { cancel(); <-ended }
}

// requeue asks Slurm to requeue a task that was warned of its time limit. A task that was
// cancelled or requeued already is no longer running when the signal arrives.
func (s sweepRun) requeue() {
	array, index := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID")
	if array == "" || index == "" {
		return
	}
	ctx, cancel := cmdline.ShutdownContext(s.Context.Context)
	defer cancel()
	requeued, err := slurm.RequeueIfRunning(ctx, array, index)
	switch {
	case err != nil:
		cmdline.PrintLine(s.App.ErrWriter, "not requeued: %v", err)
	case requeued:
		fmt.Fprintf(s.App.ErrWriter, "requeued: it continues from what is saved\n")
	}
}
