package slurm

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Task is a task of an array, or a job of its own, that has not come to its end.
type Task struct {
	Job    string // of the array
	Index  int    // −1 for a job of its own
	State  string // as Slurm says it, such as PENDING and RUNNING
	Reason string // it waits
}

// Running says whether the task is at work, and not in a queue.
func (t Task) Running() bool { return t.State == "RUNNING" || t.State == "COMPLETING" }

// ListTasks asks for the tasks of those jobs that have not come to their end. Jobs that
// Slurm has forgotten have none.
func ListTasks(ctx context.Context, jobs []string) (tasks []Task, err error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	out, err := runCommand(ctx, "", "squeue", "-h", "-r", "-o", "%F|%K|%T|%r", "-j", strings.Join(jobs, ","))
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return nil, nil // what it says of one job that it has forgotten; of several it says nothing
	}
	if err != nil {
		return nil, withHint(err, "give the command again when squeue works here")
	}
	return readTasks(out, jobs), nil
}

// readTasks reads what squeue printed of some jobs. Lines that are none of theirs say
// nothing.
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
