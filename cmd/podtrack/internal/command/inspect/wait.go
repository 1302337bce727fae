package inspect

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// waitForRuns returns once the runs are complete or nothing works on them any more, and executes the command of
// --then.
func (s *statusFlags) waitForRuns(c *cli.Context) error {
	if cmdline.FirstSet(c, "json", "format") != "" {
		return schema.Hint(errors.New("--wait with --json or --format"), "podtrack status prints them once it has waited")
	}
	if c.NArg() == 0 {
		return schema.Hint(errors.New("status --wait needs runs"),
			"podtrack status --wait RUN… | FILTER; podtrack ls lists the runs")
	}
	then, err := s.thenCommand(c)
	if err != nil {
		return err
	}
	if err := requireRuns(c); err != nil {
		return err
	}
	if _, err := runview.LoadProgress(c); err != nil { // which says what is not counted
		return err
	}
	w := newWatch(c)
	idle := idleTimer{}
	err = w.until(c.Context, func() bool { return w.allComplete() || idle.hasPassed(w) })
	switch {
	case err != nil:
		return err
	case !w.allComplete():
		return incompleteError(w.seen)
	case then == nil:
		return nil
	}
	err = then.Run()
	var failed *programs.ExitError
	if errors.As(err, &failed) {
		err = thenError{err}
	}
	if err != nil {
		return schema.Hint(fmt.Errorf("--then %s: %w", *s.then, err), "the runs are complete; see what it printed")
	}
	return nil
}

// thenError is the failure of the command of --then. It exits as a difference does, not as wrong usage of status.
type thenError struct{ error }

func (thenError) Is(target error) bool { return target == cmdline.ErrDifference }

// thenCommand returns the command of --then, nil if there is none. A missing program is reported before the wait.
func (s *statusFlags) thenCommand(c *cli.Context) (*programs.Cmd, error) {
	if s.then == nil {
		return nil, nil
	}
	words, err := programs.SplitCommand(*s.then)
	if err != nil {
		return nil, err
	}
	cmd, err := programs.Then.Command(c.Context, words[0], words[1:]...)
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("--then: %w", err), "name a program on PATH, or its path")
	}
	cmd.Stdin = os.Stdin
	cmd.Stdout, cmd.Stderr = cmdline.RawWriter(c.App.Writer), cmdline.RawWriter(c.App.ErrWriter)
	return cmd, nil
}

// requireRuns returns an error if nothing is selected, neither by a run nor by a plan.
func requireRuns(c *cli.Context) error {
	_, err := cmdline.SelectSomeRuns(c)
	if !errors.Is(err, report.ErrNoRuns) {
		return err
	}
	w := newWatch(c)
	if _, surveyErr := w.survey(c.Context); surveyErr != nil {
		return surveyErr
	}
	if len(w.seen.Progress) > 0 {
		return nil
	}
	return err
}

// allComplete reports whether all selected runs and plans are complete.
func (w *watch) allComplete() bool {
	counts := outlook.CountRuns(w.seen.Runs)
	return w.isRead && counts.Complete == counts.Total() && w.plansDone() &&
		counts.Total()+len(w.seen.Progress) > 0
}

// An idleTimer measures how long no process has worked on the runs. Between two runs of one process there is a short
// gap.
type idleTimer struct{ since time.Time }

const maxIdle = 4 * time.Second

// hasPassed reports whether the runs have been idle for maxIdle.
func (i *idleTimer) hasPassed(w *watch) bool {
	if !w.isRead || w.anyRunning() {
		i.since = time.Time{}
		return false
	}
	if i.since.IsZero() {
		i.since = time.Now()
	}
	return time.Since(i.since) >= maxIdle
}

// errIncomplete means that runs ended before they were complete.
var errIncomplete = fmt.Errorf("%w: runs that are not complete", cmdline.ErrDifference)

func incompleteError(seen outlook.Snapshot) error {
	counts := outlook.CountRuns(seen.Runs)
	texts, hints := []string{counts.String()}, []string{}
	if len(seen.Progress) > 0 {
		texts = nil
	}
	if counts.Interrupted+counts.Failed > 0 {
		hints = append(hints, "podtrack status says why each stopped; podtrack resume continues those that were interrupted")
	}
	for _, p := range runview.Unfinished(seen.Progress) {
		texts = append(texts, runview.PlanLine(p))
		if how := runview.HowToMake(p); how != "" {
			hints = append(hints, how)
		}
	}
	return schema.Hint(fmt.Errorf("%w: %s", errIncomplete, strings.Join(texts, "; ")), "%s", strings.Join(hints, "; "))
}
