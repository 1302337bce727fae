package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

// Submit submits a script and returns the job's ID. sbatch reads the script from stdin: a file
// could change before it is read.
func Submit(ctx context.Context, flags []string, script string) (id string, err error) {
	out, err := runCommand(ctx, script, "sbatch", append([]string{"--parsable"}, flags...)...)
	if err != nil {
		return "", adviseIfNone(err, AdviceRefused)
	}
	id, _, _ = strings.Cut(strings.TrimSpace(out), ";") // of a federation the cluster follows
	if id == "" || !isJob(id) {
		return "", schema.Hint(fmt.Errorf("sbatch: %w: it printed %q and no job ID", ErrRefused, lastLines(out)),
			"squeue --me says whether something was submitted")
	}
	return id, nil
}

// CheckAvailable returns an error if jobs cannot be submitted on this machine.
func CheckAvailable() error {
	_, err := programs.Find("sbatch")
	return explainAbsence("sbatch", err)
}

// RequeueIfRunning requeues a task of an array if it is running. A task that was cancelled or
// requeued is not running any more, even before its signal arrives.
func RequeueIfRunning(ctx context.Context, array, index string) (again bool, err error) {
	if !isJob(array) {
		return false, fmt.Errorf("%q is no job ID", array)
	}
	tasks, err := ListTasks(ctx, []string{array})
	for _, t := range tasks {
		if strconv.Itoa(t.Index) == index && t.State == "RUNNING" {
			_, err = runCommand(ctx, "", "scontrol", "requeue", array+"_"+index)
			return err == nil, err
		}
	}
	return false, err
}
