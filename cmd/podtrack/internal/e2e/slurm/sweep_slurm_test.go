//go:build linux

package slurm

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/run/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// slurmGrid is 60 runs, of about a third of a second each.
var slurmGrid = []string{"--bits", "12", "--steps", "3000000", "--iterations", "3", "--reading",
	"as-written,as-published", "--seeds", "0-29", "--tag", "study"}

// TestSweepSlurm has a real Slurm make a sweep in six tasks. One is killed without a warning, one is requeued, and both
// lose their disks. The gathered result is that of one machine.
func TestSweepSlurm(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel() // it waits more than it works
	c := startSlurm(t)
	s := &slurmSweep{cluster: c, dir: t.TempDir()}
	s.store = filepath.Join(s.dir, "all.db")

	submitted := s.podtrack(t, cmdline.ExitDone,
		append([]string{"--slurm", "--tasks", "6", "--save-every", "100ms", "--scratch", s.mkdir(t, "scratch")},
			slurmGrid...)...)
	array := match(t, `submitted job array ([0-9]+): 6 tasks, shards 0-5 of 6\n`, submitted)
	killed := s.killOne(t, array, 1, 2, 3, 4, 5)
	s.requeued(t, array, 0)
	s.progress(t)
	again := s.podtrack(t, cmdline.ExitDone, append([]string{"--slurm"}, slurmGrid...)...) // while the others work
	match(t, fmt.Sprintf(`submitted job array ([0-9]+): 1 task, shard %d of 6\n`, killed), again)
	c.wait(t)
	s.gathered(t, submitted, again)
	match(t, `(nothing to submit: 60 of 60 runs complete; all of them are in the store)`,
		s.podtrack(t, cmdline.ExitDone, append([]string{"--slurm"}, slurmGrid...)...))
	s.compare(t)
}

// TestSweepSlurmTimeLimit has Slurm warn a task of its time limit. It saves, and has
// itself requeued: Slurm does that by itself only where a node fails. Limits are of
// whole minutes, and looked at about twice in one.
func TestSweepSlurmTimeLimit(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel() // it waits more than it works
	c := startSlurm(t)
	s := &slurmSweep{cluster: c, dir: t.TempDir()}
	s.store = filepath.Join(s.dir, "all.db")
	many := []string{"--bits", "12", "--steps", "400000", "--iterations", "3", "--seeds", "0-9999"}
	submitted := s.podtrack(t, cmdline.ExitDone,
		append([]string{"--slurm", "--tasks", "1", "--sbatch", "--time=1", "--scratch", s.mkdir(t, "scratch")}, many...)...)
	array := match(t, `submitted job array ([0-9]+): 1 task, shard 0 of 1\n`, submitted)
	if err := c.poll(t.Context(), func() bool { return strings.Contains(s.log(array, 0), "requeued: ") }); err != nil {
		t.Fatalf("the task does not save and begin again: %v\n%s", err, s.log(array, 0))
	}
	state := c.command(t, "scontrol", "show", "job", array)
	if !strings.Contains(state, "Restarts=") || strings.Contains(state, "Restarts=0 ") {
		t.Errorf("it is not requeued:\n%s", state)
	}
	if saved, _ := filepath.Glob(filepath.Join(s.dir, "folder", "parts", "*.db")); len(saved) == 0 {
		t.Errorf("it saved nothing:\n%s", s.log(array, 0))
	}
}

// progress is shown by the sweep's tag while all runs are still in parts.
func (s *slurmSweep) progress(t *testing.T) {
	t.Helper()
	p := e2e.Start(t, "ls", "tag=study", "--store", s.store)
	p.Exit(t, cmdline.ExitDone)
	if match(t, `study: [0-9]+ of 60 complete.*; ([0-9]+) of 180 iterations`, p.Said.String()) == "0" {
		t.Errorf("nothing seems to go on:\n%s", p.Said.String())
	}
}

// gathered checks the exit codes of the jobs that gather: only the last one needs to have found all runs.
func (s *slurmSweep) gathered(t *testing.T, submitted ...string) {
	t.Helper()
	whole := 0
	for _, text := range submitted {
		if strings.Contains(s.command(t, "scontrol", "show", "job", gatherJob(t, text)), "JobState=COMPLETED") {
			whole++
		}
	}
	if whole == 0 {
		t.Errorf("no job that gathers found all runs")
	}
}

// slurmSweep is a sweep on a cluster.
type slurmSweep struct {
	*cluster
	dir   string
	store string
}

func (s *slurmSweep) mkdir(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	e2e.Must(t, os.MkdirAll(path, 0o777))
	return path
}

// podtrack runs podtrack sweep where it can submit, and returns what it prints.
func (s *slurmSweep) podtrack(t *testing.T, code int, args ...string) string {
	t.Helper()
	// A program of its own: this test's is of another name, and gone with it.
	p := e2e.StartFaulty(t, s.env(), append([]string{"sweep", "--store", s.store, "--folder", filepath.Join(s.dir,
		"folder")},
		args...)...)
	p.Exit(t, code)
	return p.Printed.String()
}

// killOne kills a task that has made some of its runs, wipes its disk, and returns its
// number. Slurm does not begin it again. A task that completes before the signal comes
// leaves the next one to be killed.
func (s *slurmSweep) killOne(t *testing.T, array string, tasks ...int) int {
	t.Helper()
	for _, task := range tasks {
		scratch := s.midway(t, array, task)
		job := fmt.Sprintf("%s_%d", array, task)
		// It signals twice, and complains where the job is gone by then.
		_, _ = s.run(t.Context(), "scancel", "--signal=KILL", "--full", job)
		t.Cleanup(func() { _ = os.RemoveAll(scratch) }) // a disk that nobody sees again
		s.wait(t, job)
		if shard := s.status(t).Shards[task]; shard.Complete < shard.Runs {
			return task
		}
	}
	t.Fatalf("all of the tasks %v complete before they are killed", tasks)
	return 0
}

// requeued has a task that has made some of its runs begin again, without its disk.
// It goes on from what it had saved.
func (s *slurmSweep) requeued(t *testing.T, array string, task int) {
	t.Helper()
	scratch := s.midway(t, array, task)
	s.requeue(t, fmt.Sprintf("%s_%d", array, task))
	e2e.Must(t, os.RemoveAll(scratch))
	attempts := regexp.MustCompile(fmt.Sprintf(`(?m)^shard %d/6: ([0-9]+) runs? there already`, task))
	var found [][]string
	if err := s.poll(t.Context(), func() bool {
		found = attempts.FindAllStringSubmatch(s.log(array, task), -1)
		return len(found) == 2
	}); err != nil {
		t.Fatalf("task %d does not begin again: %v\n%s", task, err, s.log(array, task))
	}
	if found[1][1] == "0" {
		t.Errorf("task %d begins with nothing:\n%s", task, s.log(array, task))
	}
}

// midway waits until a task has saved a complete run, and returns where it works.
func (s *slurmSweep) midway(t *testing.T, array string, task int) (scratch string) {
	t.Helper()
	if err := s.poll(t.Context(), func() bool { return s.status(t).Shards[task].Complete > 0 }); err != nil {
		t.Fatalf("task %d saves nothing: %v\n%s", task, err, s.log(array, task))
	}
	return match(t, `working in (.+)\n`, s.log(array, task))
}

func (s *slurmSweep) status(t *testing.T) (st sweep.Status) {
	t.Helper()
	e2e.Must(t, json.Unmarshal([]byte(s.podtrack(t, cmdline.ExitDone, append([]string{"--status", "--json"},
		slurmGrid...)...)),
		&st))
	return st
}

func (s *slurmSweep) log(array string, task int) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "folder", "logs", fmt.Sprintf("%s_%d.log", array, task)))
	return string(text)
}

// compare compares the store with that of one machine, and replays its runs.
func (s *slurmSweep) compare(t *testing.T) {
	t.Helper()
	local := filepath.Join(s.dir, "local.db")
	e2e.Start(t, append([]string{"sweep", "--store", local}, slurmGrid...)...).Exit(t, cmdline.ExitDone)
	want, got := e2e.Heads(e2e.List(t, local)), e2e.Heads(e2e.List(t, s.store))
	if len(want) != 60 || !maps.Equal(got, want) {
		t.Errorf("%d runs, %d on one machine; or their heads differ", len(got), len(want))
	}
	e2e.Start(t, "replay", "--store", s.store, "tag=study").Exit(t, cmdline.ExitDone)
	e2e.Start(t, "check", "--read-data", "--store", s.store).Exit(t, cmdline.ExitDone)
	status := s.status(t)
	if status.Complete != 60 || status.Parts != 0 || status.Running+status.Queued != 0 {
		t.Errorf("%+v", status)
	}
	if left, err := os.ReadDir(filepath.Join(s.dir, "folder", "parts")); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v %v", left, err)
	}
}

func gatherJob(t *testing.T, submitted string) string {
	t.Helper()
	return match(t, `submitted job ([0-9]+): it gathers`, submitted)
}

// match returns the first group of a pattern that must be found.
func match(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in\n%s", pattern, text)
	}
	return m[1]
}
