package slurm

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Task is a pending or running task of a job array, or a job of its own.
type Task struct {
	Job    string // of the array
	Index  int    // −1 for a job of its own
	State  string // as Slurm says it, such as PENDING and RUNNING
	Reason string // why it is waiting
}

// Running reports whether the task is running.
func (t Task) Running() bool { return t.State == "RUNNING" || t.State == "COMPLETING" }

// ListTasks returns the pending and running tasks of those jobs. Jobs that Slurm has forgotten
// have none.
func ListTasks(ctx context.Context, jobs []string) (tasks []Task, err error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	out, err := runCommand(ctx, "", "squeue", "-h", "-r", "-o", "%F|%K|%T|%r", "-j", strings.Join(jobs, ","))
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return nil, nil // what it says of one job that it has forgotten; of several it says nothing
	}
	if err != nil {
		return nil, adviseIfNone(err, "give the command again when squeue works here")
	}
	return readTasks(out, jobs), nil
}

// readTasks parses squeue's output for some jobs. It ignores other lines.
func readTasks(out string, jobs []string) (tasks []Task) {
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) < 4 || !slices.Contains(jobs, fields[0]) {
			continue
		}
		index, err := strconv.Atoi(fields[1])
		if err != nil || index < 0 {
			index = -1
		}
		tasks = append(tasks, Task{Job: fields[0], Index: index, State: fields[2], Reason: fields[3]})
	}
	return tasks
}
