package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/urfave/cli/v2"
)

// RunJobs executes jobs. launcher starts their environment if it is external, and is nil otherwise. It returns the
// outcomes of the jobs that were begun, in the order of the jobs, and the first error.
func (f *Flags) RunJobs(c *cli.Context, jobs []replay.Job, launcher replay.EnvLauncher) ([]replay.Outcome, error) {
	parallel, err := f.ParseParallel()
	if err != nil {
		return nil, err
	}
	stages, err := f.ParseStages()
	if err != nil {
		return nil, err
	}
	end, err := f.openJobs(jobs, stages)
	if err != nil {
		return nil, err
	}
	defer end()
	store := cmdline.OpenStore(c)
	with := replay.Options{
		Launcher: launcher, Stages: stages, Code: provenance.Read(c.Context), ChangedCode: f.ChangedCode,
	}
	err = replay.CheckJobs(c.Context, store, jobs, with)
	if advice := hints.Of(err); errors.Is(err, envs.ErrOtherVersion) && strings.HasSuffix(advice, "--changed-code") {
		err = schema.Hint(err, "%s --iterations %d %s", advice, jobs[0].Target, cmdline.CommandLine(f.programWords()))
	}
	if err != nil && c.Context.Err() == nil {
		return nil, err // nothing was begun
	}
	if err != nil {
		return nil, f.Explain(c, jobs, err)
	}
	noteOtherVersion(c, store, jobs[0], launcher)
	if err := f.recheckEnvs(c, store, jobs, launcher); err != nil {
		return nil, cmdline.Interrupted(err, "no step was recorded", "rerun the command to start again")
	}
	if err := store.Create(c.Context); err != nil {
		return nil, f.Explain(c, jobs, err)
	}
	total := int64(0)
	for _, j := range jobs {
		total += int64(j.Target)
	}
	bar := cmdline.StartProgress(c.App.ErrWriter, len(jobs), total)
	with.Report = bar.Report
	outcomes, err := replay.RunJobs(c.Context, store, jobs, parallel, with, func(w *groupcommit.Writer) error {
		return CloseWriter(c.Context, w)
	})
	bar.Stop()
	if err == nil {
		err = f.keepRechecks(c, store, jobs, launcher, outcomes)
	}
	for _, o := range outcomes {
		cmdline.PrintNotes(c.App.ErrWriter, cmdline.CodeNotes(fmt.Sprintf("run %.7s", o.Run), o.Changes...))
	}
	return outcomes, f.Explain(c, jobs, err)
}

// noteOtherVersion names a run that differs from a new one in the version of its environment alone, and was made with
// other packages or files of some: the newest among the last runs of the store. What else a version stands for, such as
// the attributes of an object, the user knows.
func noteOtherVersion(c *cli.Context, store *tracker.Store, job replay.Job, launcher replay.EnvLauncher) {
	const looked = 100
	id, err := job.ID()
	if err != nil || job.Spec.Env.External == nil || job.Start != nil {
		return
	}
	_ = store.View(c.Context, func(tx *tracker.Tx) error { // the note is not worth an error
		if _, err := tx.ReadRun(id); err == nil {
			return nil
		}
		left := looked
		for run, err := range tx.Runs() {
			if left--; err != nil || left < 0 {
				return err
			}
			spec := run.Spec
			spec.Env = job.Spec.Env
			if !run.Spec.Env.IsVersionOf(spec.Env) || reflect.DeepEqual(run.Spec.Env, spec.Env) ||
				!reflect.DeepEqual(spec, job.Spec) {
				continue
			}
			changes, err := replay.EnvChanges(tx, run.ID, spec.Env, launcher)
			isUpgrade := func(c provenance.Change) bool {
				return strings.Contains(c.What, " package ") || strings.Contains(c.What, " file ")
			}
			if err != nil || !slices.ContainsFunc(provenance.Known(changes), isUpgrade) {
				return err
			}
			k, _, err := tx.ReadHead(run.ID)
			if err == nil && k > 0 {
				cmdline.PrintNotes(c.App.ErrWriter, []string{fmt.Sprintf("run %.7s differs in its env_version alone, %s: "+
					"podtrack fork %.7[1]s:%[3]d --changed-code goes on as another run that shares its iterations", run.ID,
					run.Spec.Env.External.Version, k)})
			}
			return err
		}
		return nil
	})
}

// openJobs makes the job open if --until-end is given. Programs that can serve many iterations run until end is called.
func (f *Flags) openJobs(jobs []replay.Job, stages *external.StagePrograms) (end func(), err error) {
	for i := range jobs {
		jobs[i].Unfinished, jobs[i].Failure = f.Unfinished, f.Failed
	}
	if !f.UntilEnd {
		return func() {}, nil
	}
	if len(jobs) != 1 || jobs[0].Spec.Stages.Of(schema.CollectStage) == nil {
		return nil, schema.Hint(errors.New("--until-end needs exactly one run with --collect exec:CMD"),
			"name the program by --collect exec:CMD, or leave --until-end out")
	}
	jobs[0].Open = true
	if f.Iterations == nil {
		jobs[0].Target, jobs[0].Unfinished = 1, new(true)
	}
	kept := stages.KeepRecorded()
	return func() { _ = kept() }, nil
}

// CloseWriter saves what is still queued, even if the command was told to stop.
func CloseWriter(command context.Context, w *groupcommit.Writer) error {
	ctx, cancel := cmdline.ShutdownContext(command)
	defer cancel()
	return w.Close(ctx)
}

// Explain adds the command that continues the jobs to the error of an interruption or of a failed environment.
func (f *Flags) Explain(c *cli.Context, jobs []replay.Job, err error) error {
	if errors.Is(err, replay.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w, state saved", replay.ErrInterrupted), "to continue: %s",
			f.continueCommand(c, jobs))
	}
	if errors.Is(err, envs.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
		return schema.Hint(err, "%s; to continue from the saved state: %s", hints.Of(err), f.continueCommand(c, jobs))
	}
	return err
}

// continueCommand returns the command that continues jobs: resume for a single one, since it
// may be a fork or have its spec from a pipe, and the same command for several.
func (f *Flags) continueCommand(c *cli.Context, jobs []replay.Job) string {
	words := append([]string{cmdline.ThisProgram()}, os.Args[1:]...) // the same command
	if len(jobs) == 1 {
		id, err := jobs[0].ID()
		if err == nil {
			words = []string{cmdline.ThisProgram(), "resume", id.String()[:12], "--iterations",
				strconv.Itoa(jobs[0].Target)}
			words = append(words, f.programWords()...)
		}
	}
	if !slices.Contains(words, "--store") {
		words = append(words, "--store", cmdline.StorePath(c))
	}
	return cmdline.CommandLine(words)
}
