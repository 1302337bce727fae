package sweep

import (
	"cmp"
	"context"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// local executes the runs that the store lacks, then shows how far they are, if show is not nil.
func (s sweepRun) local(show func(*tracker.Store, sweep.Shard, sweep.Result) error) error {
	var err error
	shard := sweep.WholePlan
	if s.flags.shard != nil {
		if shard, err = sweep.ParseShard(*s.flags.shard); err != nil {
			return err
		}
	}
	store := cmdline.OpenStore(s.Context)
	if err := store.Create(s.Context.Context); err != nil {
		return err
	}
	progress := s.newProgress(shard)
	taken := 0
	if err = progress.Scan(s.Context.Context, store); err == nil {
		taken, err = s.plan.Annotate(s.Context.Context, store, progress) // those that were made before
	}
	if taken > 0 {
		fmt.Fprintf(s.App.ErrWriter, "runs without the name that this sweep gives: %d; "+
			"they have other names, or other runs have theirs\n", taken)
	}
	if err != nil {
		return s.stopped(err)
	}
	result, err := s.work(s.Context.Context, store, progress)
	if show != nil {
		if shown := show(store, shard, result); err == nil {
			err = shown
		}
	}
	return s.verdict(result, err)
}

// newProgress returns the progress of a shard, whose scans compare the code of complete runs with that of the sweep's
// programs. A program that fails is compared with nothing: runs that need it fail with its error.
func (s sweepRun) newProgress(shard sweep.Shard) *sweep.Progress {
	progress, with := sweep.NewProgress(s.plan, shard), replay.Options{Launcher: s.launcher, Stages: s.stages}
	with.Code = new(tracker.Code)
	progress.CompareCode(func(spec schema.Spec) *tracker.Code {
		ctx := s.Context.Context
		if s.launcher != nil && s.launcher.CheckEnv(ctx, spec.Env) != nil || s.stages.CheckStages(ctx, spec.Stages) != nil {
			return nil
		}
		return with.CodeFor(spec)
	})
	return progress
}

// work executes in a store the runs that are incomplete according to the progress, and notes the code changes of
// complete ones.
func (s sweepRun) work(ctx context.Context, store *tracker.Store, progress *sweep.Progress) (sweep.Result, error) {
	var notes []string
	for _, c := range progress.Changes {
		subject := fmt.Sprintf("run %.7s, which is complete", c.First)
		if c.Runs > 1 {
			subject = fmt.Sprintf("%d complete runs, such as %.7s", c.Runs, c.First)
		}
		notes = append(notes, cmdline.CodeNotes(subject, c.Change)...)
	}
	cmdline.PrintNotes(s.App.ErrWriter, notes)
	parallel, err := s.flags.ParseParallel()
	todo := progress.Remaining()
	if err == nil {
		err = s.checkStages(ctx, todo)
	}
	if err != nil || len(todo) == 0 {
		return sweep.Result{}, err
	}
	bar := cmdline.StartProgress(s.App.ErrWriter, len(todo), int64(len(todo))*int64(s.plan.Iterations))
	defer bar.Stop()
	return sweep.Executor{
		Plan: s.plan, Store: store, Parallel: parallel,
		Close: func(w *groupcommit.Writer) error { return runner.CloseWriter(ctx, w) },
		With: replay.Options{
			Launcher: s.launcher, Stages: s.stages, Report: bar.Report, Code: provenance.Read(ctx),
			ChangedCode: s.flags.ChangedCode,
		},
		Done: func(_ replay.Job, o replay.Outcome) { bar.Left(o.Run, o.Iterations) },
	}.Execute(ctx, todo)
}

// verdict returns the error that prevented runs from being completed.
func (s sweepRun) verdict(r sweep.Result, err error) error {
	cmdline.PrintSome(s.App.ErrWriter, cmdline.MaxNotices, textfmt.Map(r.Failures,
		func(f sweep.Failure) string { return fmt.Sprintf("run %.7s failed: %s", f.Run, f.Reason) }))
	switch {
	case err != nil:
		return s.stopped(err)
	case r.Failed > 0:
		return schema.Hint(fmt.Errorf("runs that failed: %d; the first: %w", r.Failed, r.First),
			"%s; rerun the command to retry those and to continue with what is left",
			cmp.Or(hints.Of(r.First), "podtrack show RUN has the reason"))
	case r.Interrupted || s.Context.Context.Err() != nil:
		return s.stopped(replay.ErrInterrupted)
	case r.Held > 0:
		return schema.Hint(fmt.Errorf("runs that are %w by other processes, which work on them: %d", tracker.ErrLocked,
			r.Held), "podtrack status shows how far they are")
	}
	return nil
}

// stopped returns err; for an interruption, with a hint on how to continue.
func (s sweepRun) stopped(err error) error { return s.flags.Explain(s.Context, nil, err) }
