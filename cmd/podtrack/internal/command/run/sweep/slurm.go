package sweep

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep/slurm"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Default size of an array. Each task has several runs, since Slurm takes about a second to start
// one.
const (
	runsPerTask = 8
	usualTasks  = 100
)

// submit submits the remaining work to Slurm: tasks for the incomplete shards that are not in the
// queue, and a job after them that gathers.
func (s sweepRun) submit() error {
	flags, err := s.sbatchFlags()
	if err == nil {
		err = s.checkPaths()
	}
	if err != nil {
		return err
	}
	if s.flags.print {
		scripts, err := s.scripts(s.tasks(s.plan.Len(), nil))
		if err != nil {
			return err
		}
		return s.printScripts(scripts, flags)
	}
	ctx := s.Context.Context
	store := s.store()
	for _, step := range []func() error{
		slurm.CheckAvailable,
		func() error { return store.Create(ctx) },
		func() error { return s.folder.Init(s.plan) },
		func() error { return s.folder.RecordStore(absolutePath(s.path)) },
		func() error { _, err := s.folder.MakeDir(logsDir); return err },
		func() error { _, err := s.folder.MakeDir(jobsDir); return err },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return err
	}
	return slurm.WithSubmitLock(s.jobs(), func() error {
		left := s.folder.RemoveTempFiles()
		left.Append(tempfile.ReclaimIn(s.jobs()))
		cmdline.PrintLeftovers(s.App.ErrWriter, left)
		there := sweep.NewProgress(s.plan, sweep.WholePlan)
		_, err := there.Scan(ctx, store)
		if err == nil {
			err = s.annotate(ctx, store, there)
		}
		if err != nil {
			return err
		}
		st, progress, err := s.readStatus(ctx, mustKnow)
		if err != nil {
			return err
		}
		return s.submitMissing(st, progress, flags)
	})
}

func (s sweepRun) submitMissing(st Status, progress *sweep.Progress, flags []string) error {
	submissions, err := slurm.LoadSubmissions(s.jobs())
	if err != nil {
		return err
	}
	n := s.tasks(st.summary.Runs-st.Complete, submissions)
	if live := st.Running + st.Queued; live > 0 && n != tasksOf(submissions) {
		return schema.Hint(fmt.Errorf("--tasks %d, but the tasks in the queue are of an array of %d", n,
			tasksOf(submissions)),
			"leave --tasks out, or wait for those, or scancel them")
	}
	queued := map[string]bool{}
	for _, l := range st.Shards {
		queued[l.Shard] = l.Task != ""
	}
	var missing []int
	for i, count := range progress.CountByShard(n) {
		if count.Complete < count.Runs && !queued[sweep.Shard{I: i, N: n}.String()] {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 && (st.Running+st.Queued > 0 || st.Parts == 0) {
		_, err := fmt.Fprintf(s.App.Writer, "nothing to submit: %s\n", s.statusText(st))
		return err
	}
	scripts, err := s.scripts(n)
	if err != nil {
		return err
	}
	return s.sbatch(scripts, missing, flags)
}

// sbatch submits the array if a task is missing, and the gathering job, which depends on it.
func (s sweepRun) sbatch(scripts slurm.Scripts, missing []int, flags []string) error {
	ctx, note := s.Context.Context, slurm.Submission{Tasks: scripts.Tasks, Indices: slurm.FormatIndices(missing)}
	task, behind := filepath.Join(s.jobs(), "task.sh"), filepath.Join(s.jobs(), "gather.sh") // copies for the user to read
	err := errors.Join(tempfile.WriteAtomic(task, []byte(scripts.TaskScript()), 0o777, true),
		tempfile.WriteAtomic(behind, []byte(scripts.GatherScript()), 0o777, true))
	if err != nil {
		return err
	}
	after := []string{}
	if len(missing) > 0 {
		if note.Array, err = slurm.Submit(ctx, s.taskFlags(note.Indices, flags), scripts.TaskScript()); err != nil {
			return err
		}
		after = []string{"--dependency=afterany:" + note.Array}
		if err := note.Save(s.jobs()); err != nil {
			return schema.Hint(fmt.Errorf("job array %s is submitted but could not be noted: %w", note.Array, err),
				"scancel %s, and submit again when the folder can be written to", note.Array)
		}
		fmt.Fprintf(s.App.Writer, "submitted job array %s: %s, %s of %d\n", note.Array, cmdline.Plural(len(missing), "task"),
			shardsText(missing), scripts.Tasks)
	}
	if note.Gather, err = slurm.Submit(ctx, s.behindFlags(after, flags), scripts.GatherScript()); err != nil {
		return schema.Hint(fmt.Errorf("the job that gathers: %w", err),
			"the tasks continue; when they are done, give %s --gather", s.commandLine())
	}
	cmdline.PrintLine(s.App.Writer, "submitted job %s: it gathers them into %s", note.Gather, s.path)
	fmt.Fprintf(s.App.ErrWriter, "to see its progress: %s --status\n", s.commandLine())
	return note.Save(s.jobs())
}

func shardsText(indices []int) string {
	if len(indices) == 1 {
		return fmt.Sprintf("shard %d", indices[0])
	}
	return "shards " + slurm.FormatIndices(indices)
}

// commandLine returns the command that selects this sweep.
func (s sweepRun) commandLine() string {
	return cmdline.CommandLine([]string{cmdline.ThisProgram(), "sweep", "--folder", s.folder.Path, "--store", s.path})
}

// tasks returns the number of shards: the flag's, otherwise the same as before, otherwise the
// default.
func (s sweepRun) tasks(missing int, before []slurm.Submission) int {
	switch {
	case s.flags.tasks != nil:
		return *s.flags.tasks
	case len(before) > 0:
		return tasksOf(before)
	}
	return max(1, min(usualTasks, (missing+runsPerTask-1)/runsPerTask))
}
