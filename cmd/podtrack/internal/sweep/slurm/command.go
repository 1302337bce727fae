package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

// runCommand runs a command of Slurm's, which reads stdin, and returns what it printed.
func runCommand(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	c, err := programs.Slurm.Command(ctx, name, args...)
	if err != nil {
		return "", explainAbsence(name, err)
	}
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %w: %s", name, ErrRefused, err, lastLines(stderr.String()))
	}
	return stdout.String(), nil
}

// adviseIfNone adds advice to an error that has none.
func adviseIfNone(err error, advice schema.Advice) error {
	if schema.Remedy(err) != "" {
		return err
	}
	return schema.Advise(err, advice)
}

var (
	// ErrNoSlurm is the error of a machine without Slurm.
	ErrNoSlurm = errors.New("there is no Slurm here")
	// ErrRefused is the error of a Slurm command that failed.
	ErrRefused = errors.New("refused")
)

// commandTimeout limits the duration of a Slurm command.
const commandTimeout = 2 * time.Minute

// explainAbsence returns an [ErrNoSlurm] for a program that is not there.
func explainAbsence(name string, err error) error {
	if !errors.Is(err, programs.ErrNotFound) {
		return err
	}
	return schema.Advise(fmt.Errorf("%w: %s is not on PATH", ErrNoSlurm, name), AdviceNoSlurm)
}

// lastLines returns the last lines of a command's output, as one line of limited length.
func lastLines(text string) string {
	const most = 600
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

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
		return nil, nil // Slurm reports this for one forgotten job; for several it prints nothing
	}
	if err != nil {
		return nil, adviseIfNone(err, "rerun the command when squeue works here")
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

// Advice of this package's errors.
const (
	AdviceNoSlurm schema.Advice = "submit where there is a Slurm, or execute the runs here"
	AdviceRefused schema.Advice = "fix what Slurm reports; an array may have as many tasks as its MaxArraySize"
)
