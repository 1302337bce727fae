//go:build linux

package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// env returns the environment in which Slurm's commands talk to this cluster, and
// podtrack is this program. Nothing is left in it of a cluster on which the test
// itself runs.
func (c *cluster) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc([]string{"SLURM", "SBATCH_", "SQUEUE_", "SCANCEL_", "SINFO_", "SCONTROL_"},
			func(prefix string) bool {
				return strings.HasPrefix(variable, prefix)
			})
	})
	return append(env, "SLURM_CONF="+c.confFile())
}

// command runs one of Slurm's commands and returns what it prints, without the
// end of the last line.
func (c *cluster) command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := c.run(t.Context(), name, args...)
	e2e.Must(t, err)
	return out
}

func (c *cluster) run(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Env = c.env()
	out, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimRight(string(out), "\n"), err
}

// wait waits until the jobs (or tasks, as 12_3) have left the queue: every job, if
// none is named.
func (c *cluster) wait(t *testing.T, jobs ...string) {
	t.Helper()
	var left string
	if err := c.poll(t.Context(), func() bool {
		left = c.queue(t, jobs...)
		return left == ""
	}); err != nil {
		t.Fatalf("still in the queue:\n%s", left)
	}
}

// queue lists the jobs that have not ended, a line for each job or task:
// "12_3 RUNNING None".
func (c *cluster) queue(t *testing.T, jobs ...string) string {
	t.Helper()
	return c.command(t, "squeue", append([]string{"--noheader", "--array", "--format=%i %T %r"}, only(jobs)...)...)
}

func only(jobs []string) []string {
	if len(jobs) == 0 {
		return nil
	}
	return []string{"--jobs=" + strings.Join(jobs, ",")}
}

// requeue ends a running task and has it start again soon: by itself it would wait
// for longer (see slurmConf). The node refuses a job that it is told to start in
// the second in which it ended it ("Job credential revoked").
func (c *cluster) requeue(t *testing.T, task string) {
	t.Helper()
	c.command(t, "scontrol", "requeue", task)
	ended := func() bool { return !strings.Contains(c.queue(t, task), "COMPLETING") }
	if err := c.poll(t.Context(), ended); err != nil {
		t.Fatalf("requeue %s: %v", task, err)
	}
	_, _ = c.run(t.Context(), "scontrol", "update", "JobId="+task, "StartTime=now+2") // refused where it has started
}

// poll asks until the answer is yes. Slurm changes its mind once a second; what
// takes minutes does not come.
func (c *cluster) poll(ctx context.Context, yes func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
	return nil
}
