package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

const (
	lookEvery = time.Second
	lookAfter = 2 * time.Second // interval to reread an unchanged store, since a run that dies writes nothing
	lookShare = 20              // at most 1/lookShare of the time is spent on reading the store
)

// A watch follows the progress of runs by rereading the store.
type watch struct {
	store  *tracker.Store
	args   []string
	out    progressText
	notice string // last message about why there is nothing to see

	revision string
	seen     outlook.Snapshot
	read     time.Time     // time of the last read
	took     time.Duration // duration of the last read

	plans   []tracker.PlannedTag // at the last read
	pending sweep.PendingParts   // runs in parts that are not in the store yet
}

func newWatch(c *cli.Context) *watch {
	out := progressText{w: c.App.ErrWriter, now: time.Now}
	return &watch{store: cmdline.OpenStore(c), args: c.Args().Slice(), out: out}
}

// until polls the store until ended returns true.
func (w *watch) until(ctx context.Context, ended func() bool) error {
	for {
		if err := w.refresh(ctx, time.Now()); ctx.Err() != nil {
			return schema.Hint(fmt.Errorf("watching: %w", replay.ErrInterrupted),
				"the runs continue; rerun the command to watch them")
		} else if err != nil {
			return err
		}
		if ended() {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(lookEvery, lookShare*w.took)):
		}
	}
}

// refresh shows the current state if it may have changed. It waits for a store that does not exist
// yet or is locked.
func (w *watch) refresh(ctx context.Context, now time.Time) error {
	changed, err := w.survey(ctx, now)
	switch {
	case errors.Is(err, tracker.ErrNoStore):
		w.revision = ""
		w.notify(fmt.Sprintf("there is no store %s yet; waiting for it. Ctrl-C ends this.", w.store.Path()))
		return nil
	case errors.Is(err, tracker.ErrLocked):
		w.notify(fmt.Sprintf("%s is locked by another process; waiting for it. Ctrl-C ends this.", w.store.Path()))
		return nil
	case err != nil:
		return err
	}
	w.notice = ""
	if !changed {
		return nil
	}
	return w.out.show(w.seen)
}

func (w *watch) notify(text string) {
	if w.notice == text {
		return
	}
	w.notice = text
	fmt.Fprintln(w.out.w, text)
}

// survey reads the store if it has changed, or if a running run may have died since the last read.
func (w *watch) survey(ctx context.Context, now time.Time) (changed bool, err error) {
	pending := w.pending.Runs(ctx, w.plans)
	err = w.store.View(ctx, func(tx *tracker.Tx) error {
		revision, err := tx.Revision()
		if err != nil || revision == w.revision && (!w.atWork() || now.Sub(w.read) < lookAfter) {
			return err
		}
		begin := time.Now()
		seen, err := outlook.TakeSnapshot(tx, w.args, now, pending...)
		if err == nil {
			w.plans, err = tx.ReadPlannedTags()
		}
		if err != nil {
			return err
		}
		changed = true
		w.seen, w.revision, w.read, w.took = seen, revision, now, time.Since(begin)
		return nil
	})
	return changed, err
}

func (w *watch) atWork() bool {
	return sweep.UsesFolder(w.plans) || w.anyRunning()
}

func (w *watch) anyRunning() bool {
	return slices.ContainsFunc(w.seen.Runs, isRunning) ||
		slices.ContainsFunc(w.seen.Progress, func(p outlook.Progress) bool { return p.Running > 0 })
}

func (w *watch) plansDone() bool {
	return !slices.ContainsFunc(w.seen.Progress, func(p outlook.Progress) bool { return !p.Done() })
}

// progressText writes a line for each tag with plans, or one for all runs, when it has changed: at once if a run has
// changed its state, at intervals if only iterations have finished.
type progressText struct {
	w    io.Writer
	now  func() time.Time
	last string // the counts at which the last lines were written
	text string // the last lines
	at   time.Time
}

func (p *progressText) show(seen outlook.Snapshot) error {
	counts, text := "", ""
	for _, progress := range seen.Progress {
		counts += progress.Tag + progress.String() + "\n"
		text += runview.PlanLine(progress) + "\n"
	}
	if len(seen.Progress) == 0 {
		counts = runview.RunsLine(seen.Runs) + "\n"
		text = counts
	}
	if counts == p.last && (text == p.text || p.now().Sub(p.at) < cmdline.LineEvery) {
		return nil
	}
	p.last, p.text, p.at = counts, text, p.now()
	_, err := io.WriteString(p.w, text)
	return err
}

func isRunning(r report.Run) bool { return r.Status == tracker.Running }
