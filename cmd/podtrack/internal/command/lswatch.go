package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

const (
	lookEvery = time.Second
	lookAfter = 2 * time.Second // interval to reread an unchanged store, since a run that dies writes nothing
	lookShare = 20              // at most 1/lookShare of the time is spent on reading the store
)

// watch is the state of ls --watch.
type watch struct {
	store  *tracker.Store
	args   []string
	sort   string
	shown  surveyor
	stderr io.Writer
	notice string // last message about why there is nothing to list

	revision string
	seen     report.Snapshot
	read     time.Time     // time of the last read
	took     time.Duration // duration of the last read

	plans   []tracker.PlannedTag // at the last read
	pending sweep.PendingParts   // runs in parts that are not in the store yet
}

// watchRuns lists the runs repeatedly until it is interrupted or nothing more can change.
func watchRuns(c *cli.Context, columns []string) error {
	if err := report.CheckSelection(c.Args().Slice()); err != nil {
		return err
	}
	w := newWatch(c, surveyorFor(c, columns))
	return w.until(c.Context, w.ended)
}

func newWatch(c *cli.Context, shown surveyor) *watch {
	return &watch{store: cmdline.OpenStore(c), args: c.Args().Slice(), sort: c.String("sort"), shown: shown,
		stderr: c.App.ErrWriter}
}

// until looks at the store again and again until ended returns true.
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
	return w.shown.Show(w.seen)
}

func (w *watch) notify(text string) {
	if w.notice == text {
		return
	}
	w.notice = text
	w.shown.aside()
	fmt.Fprintln(w.stderr, text)
}

// survey reads the store, unless nobody has written to it and no running run can have died since.
func (w *watch) survey(ctx context.Context, now time.Time) (changed bool, err error) {
	pending := w.pending.Runs(ctx, w.plans)
	err = w.store.View(ctx, func(tx *tracker.Tx) error {
		revision, err := tx.Revision()
		if err != nil || revision == w.revision && (!w.atWork() || now.Sub(w.read) < lookAfter) {
			return err
		}
		begin := time.Now()
		seen, err := report.TakeSnapshot(tx, w.args, now, pending...)
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
	if err != nil || !changed || w.sort == "" {
		return changed, err
	}
	return changed, report.Sort(w.seen.Runs, w.sort)
}

func (w *watch) atWork() bool {
	return sweep.UsesFolder(w.plans) || w.anyRunning()
}

func (w *watch) anyRunning() bool {
	return slices.ContainsFunc(w.seen.Runs, isRunning) ||
		slices.ContainsFunc(w.seen.Progress, func(p report.Progress) bool { return p.Running > 0 })
}

// ended reports whether all that is planned, or all runs that are named, are complete and no run is running.
func (w *watch) ended() bool {
	if len(w.args) > 0 && !report.IsTerm(w.args[0]) {
		return w.allComplete()
	}
	return len(w.seen.Progress) > 0 && w.plansDone() && !w.anyRunning()
}

func (w *watch) plansDone() bool {
	return !slices.ContainsFunc(w.seen.Progress, func(p report.Progress) bool { return !p.Done() })
}

// surveyorFor returns the surveyor for the output: a screen, plain text or JSON lines.
func surveyorFor(c *cli.Context, columns []string) surveyor {
	out := c.App.Writer
	if c.Bool("json") {
		return &surveyLines{out: out, runs: map[schema.Digest]string{}, tags: map[string]string{}}
	}
	if f, ok := cmdline.RawWriter(out).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		// a screen needs a terminal that understands escape sequences
		return &screen{out: f, columns: columns, size: func() (int, int, error) { return term.GetSize(int(f.Fd())) }}
	}
	return &surveyText{out: out, now: time.Now}
}
