//go:build linux

package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestSlurm checks that the cluster of the tests does what sweeps rely on, and leaves behind no process of a job.
func TestSlurm(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()       // it waits more than it works
	var escaped string // the process of a job that has ended
	t.Cleanup(func() { // when the cluster has ended
		line, err := os.ReadFile("/proc/" + escaped + "/cmdline")
		if escaped != "" && err == nil && len(line) > 0 { // it has none until it was waited for
			t.Errorf("process %s is still there: %q", escaped, line)
		}
	})
	c := startSlurm(t)
	t.Run("arrays", func(t *testing.T) { slurmArrays(t, c) })
	t.Run("requeue", func(t *testing.T) { slurmRequeue(t, c) })
	t.Run("signal", func(t *testing.T) { slurmSignal(t, c) })

	pid := filepath.Join(t.TempDir(), "pid")
	c.wait(t, c.batch(t, "setsid sleep 600 & echo $! >'"+pid+"'"))
	text, err := os.ReadFile(pid)
	e2e.Must(t, err)
	escaped = strings.TrimSpace(string(text))
}

// slurmArrays checks that jobs that depend on an array see what all of its tasks wrote. The tasks of a list have no
// STEP variable, and no variable tells a task of %2.
func slurmArrays(t *testing.T, c *cluster) {
	dir := t.TempDir()
	want := map[string]string{
		"1,4,7":  "1 of 3: 1-7 by 1\n4 of 3: 1-7 by 1\n7 of 3: 1-7 by 1\n",
		"0-2%2":  "0 of 3: 0-2 by 1\n1 of 3: 0-2 by 1\n2 of 3: 0-2 by 1\n",
		"2-10:4": "10 of 3: 2-10 by 4\n2 of 3: 2-10 by 4\n6 of 3: 2-10 by 4\n",
	}
	for array := range want {
		out := filepath.Join(dir, array)
		job := c.batch(t, `echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT:`+
			` $SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX by $SLURM_ARRAY_TASK_STEP" >'`+out+`'.$SLURM_ARRAY_TASK_ID`,
			"--array="+array)
		c.batch(t, "cat '"+out+"'.* >'"+out+"'", "--dependency=afterany:"+job)
	}
	c.wait(t)
	for array, want := range want {
		checkText(t, filepath.Join(dir, array), want)
	}
}

// slurmRequeue ends a task while it works. It is started again, and is told so; a job that depends on the array waits
// for it.
func slurmRequeue(t *testing.T, c *cluster) {
	out := filepath.Join(t.TempDir(), "attempts")
	array := c.batch(t, `
		echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID, restarts: ${SLURM_RESTART_COUNT-unset}" >>'`+
		out+`'.$SLURM_ARRAY_TASK_ID
		[ "$SLURM_ARRAY_TASK_ID$SLURM_RESTART_COUNT" != 5 ] || exec sleep 600`, "--array=2,5", "--requeue")
	last := c.batch(t, "cat '"+out+"'.* >'"+out+"'", "--dependency=afterany:"+array)
	c.wait(t, array+"_2")
	begun := func() bool { _, err := os.Stat(out + ".5"); return err == nil }
	if err := c.poll(t.Context(), begun); err != nil {
		t.Fatalf("no task has started:\n%s", c.queue(t))
	}
	c.requeue(t, array+"_5")
	c.wait(t, array, last)
	checkText(t, out, strings.ReplaceAll("2 of N, restarts: unset\n5 of N, restarts: unset\n5 of N, restarts: 1\n", "N",
		array))
}

// slurmSignal asks podtrack in a job to end. --batch means the script's process
// alone: it is podtrack, since the script execs it.
func slurmSignal(t *testing.T, c *cluster) {
	store := filepath.Join(t.TempDir(), "store.db")
	job := c.batch(t, "exec podtrack run --store '"+store+"' "+strings.Join(e2e.LongRun, " "), "--output="+store+".log")
	e2e.WaitUntilRunning(t, store)
	c.command(t, "scancel", "--signal=TERM", "--batch", job)
	c.wait(t, job)
	c.checkEnded(t, job, "JobState=FAILED", "ExitCode=130:0")
	if log, err := os.ReadFile(store + ".log"); err != nil ||
		!strings.Contains(string(log), "to continue: podtrack resume ") {
		t.Errorf("podtrack did not say how to continue: %v\n%s", err, log)
	}
}

// checkEnded compares what Slurm says of a job with the expected words of Slurm.
func (c *cluster) checkEnded(t *testing.T, job string, words ...string) {
	t.Helper()
	state := c.command(t, "scontrol", "show", "job", job)
	for _, word := range words {
		if !strings.Contains(state, word) {
			t.Errorf("not %s:\n%s", word, state)
		}
	}
}

func checkText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %v\n%s\nwant\n%s", filepath.Base(path), err, got, want)
	}
}
