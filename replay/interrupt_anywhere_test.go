package replay_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// impatient is a context that is done after a number of looks at it: cancelled, or past its deadline if late is set.
type impatient struct {
	context.Context
	asked, patience atomic.Int64
	late            bool
}

func (i *impatient) Err() error {
	switch {
	case i.asked.Add(1) <= i.patience.Load():
		return nil
	case i.late:
		return context.DeadlineExceeded
	}
	return context.Canceled
}

// TestDeadlines: whenever a deadline passes, the error says that it did, and that the run goes on from there.
func TestDeadlines(t *testing.T) {
	tracked, run := perform(t, replay.Job{Spec: small(), Target: 1})
	store, job := replay.NewStore(tracked), replay.Job{Spec: run.Spec, Target: 4}
	stopped := 0
	for patience := range int64(40) {
		ctx := &impatient{Context: t.Context(), late: true}
		ctx.patience.Store(patience)
		_, err := store.Run(ctx, job, replay.Options{})
		if err == nil {
			break
		}
		stopped++
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, replay.ErrInterrupted) ||
			errors.Is(err, context.Canceled) {
			t.Errorf("a deadline after %d looks gives the error %v", patience, err)
		}
	}
	if run, err := store.Run(t.Context(), job, replay.Options{}); err != nil || run.Iterations != 4 || stopped < 5 {
		t.Errorf("after %d deadlines: %v, %v", stopped, run, err)
	}
}

// TestStoresWithoutPath: a store that names no file is an error, not a panic.
func TestStoresWithoutPath(t *testing.T) {
	ctx, job := t.Context(), replay.Job{Spec: small(), Target: 1}
	for name, use := range map[string]func() error{
		"Create": func() error { _, err := replay.Create(ctx, ""); return err },
		"Open":   func() error { _, err := replay.Open(ctx, ""); return err },
		"Run":    func() error { _, err := new(replay.Store).Run(ctx, job, replay.Options{}); return err },
		"Find":   func() error { _, err := new(replay.Store).Find(ctx, "@1"); return err },
		"Runs":   func() error { _, err := new(replay.Store).Runs(ctx); return err },
		"View":   func() error { return new(tracker.Store).View(ctx, func(*tracker.Tx) error { return nil }) },
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), "store without a path") || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, err := os.ReadDir("."); err != nil || slices.ContainsFunc(files, func(f os.DirEntry) bool {
		return strings.Contains(f.Name(), "tmp")
	}) {
		t.Errorf("files are left: %v, %v", files, err)
	}
}

// TestStoppedIsNotFailed: a run that is told to stop, at any time and even while it reads, is interrupted and has not
// failed.
func TestStoppedIsNotFailed(t *testing.T) {
	sound, run := perform(t, replay.Job{Spec: small(), Target: 3})
	begun := 0
	for n := range int64(40) {
		patience := n * n
		store := copyStore(t, sound.Path())
		w := groupcommit.Start(t.Context(), store)
		ctx := &impatient{Context: t.Context()}
		ctx.patience.Store(patience)
		var out replay.Outcome
		replay.NewEngine(store, w, replay.Options{}).Run(ctx, replay.Job{Spec: run.Spec, Target: 4}, func(o replay.Outcome) {
			out = o
		})
		ok(t, w.Close(context.Background()))
		if out.Err != nil && !errors.Is(out.Err, replay.ErrInterrupted) {
			t.Errorf("after %d looks at its context: %v", patience, out.Err)
		}
		if out.Err != nil && !out.Run.IsZero() {
			begun++
		}
		view(t, store, func(tx *tracker.Tx) error {
			a, err := tx.ReadAnnotation(run.ID)
			if a.Failure != "" {
				t.Errorf("after %d looks at its context: %q", patience, a.Failure)
			}
			return err
		})
	}
	if begun < 5 {
		t.Errorf("only %d of 40 runs were stopped at work", begun)
	}
}
