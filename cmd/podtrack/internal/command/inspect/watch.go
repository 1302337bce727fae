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
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// outdated is the age at which an unchanged store is read again while runs are at work: estimates depend on the time,
// and parts in the folder of a sweep are not in the store.
const outdated = 2 * time.Second

// A watch follows the progress of runs by rereading the store.
type watch struct {
	path   string
	store  *tracker.Follower
	args   []string
	out    progressText
	notice string // last message about why there is nothing to see

	isRead bool // seen is what the store has
	seen   outlook.Snapshot

	plans []tracker.PlannedTag // at the last read
}

func newWatch(c *cli.Context) *watch {
	store := cmdline.OpenStore(c)
	out := progressText{w: c.App.ErrWriter, now: time.Now}
	return &watch{path: store.Path(), store: store.Follow(), args: c.Args().Slice(), out: out}
}

// until polls the store until ended returns true.
func (w *watch) until(ctx context.Context, ended func() bool) error {
	for {
		if err := w.refresh(ctx); ctx.Err() != nil {
			return schema.Hint(fmt.Errorf("watching: %w", replay.ErrInterrupted),
				"the runs continue; rerun the command to watch them")
		} else if err != nil {
			return err
		}
		if ended() {
			return nil
		}
		_ = w.store.Wait(ctx) // refresh says that ctx has ended
	}
}

// refresh shows the current state if it may have changed. It waits for a store that does not exist
// yet or is locked.
func (w *watch) refresh(ctx context.Context) error {
	changed, err := w.survey(ctx)
	switch {
	case errors.Is(err, tracker.ErrNoStore):
		w.isRead = false
		w.notify(fmt.Sprintf("there is no store %s yet; waiting for it. Ctrl-C ends this.", w.path))
		return nil
	case errors.Is(err, tracker.ErrLocked):
		w.notify(fmt.Sprintf("%s is locked by another process; waiting for it. Ctrl-C ends this.", w.path))
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

// survey reads the store if it has changed, or what was read of runs at work is out of date.
func (w *watch) survey(ctx context.Context) (changed bool, err error) {
	maxAge := time.Duration(0)
	if w.atWork() {
		maxAge = outdated
	}
	var seen outlook.Snapshot
	var plans []tracker.PlannedTag
	changed, err = w.store.Look(ctx, maxAge, func(tx *tracker.Tx) (err error) {
		if seen, err = outlook.TakeSnapshot(tx, w.args, time.Now()); err == nil {
			plans, err = tx.ReadPlannedTags()
		}
		return err
	})
	if changed {
		w.isRead, w.seen, w.plans = true, seen, plans
	}
	return changed, err
}

func (w *watch) atWork() bool {
	return w.anyRunning()
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
