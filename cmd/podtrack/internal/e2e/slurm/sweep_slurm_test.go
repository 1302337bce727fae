//go:build linux

package slurm

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// study is 200 tiny runs.
const study = `seeds = "0-99"
iterations = 2
env = "ring"
bits = 5
steps = 60

[[variant]]
name = "pod"

[[variant]]
name = "low kappa"
kappa = 0.5
`

// TestSweepSlurm has a real Slurm make a study by the script that sweep writes. One task is killed in the midst of its
// runs and requeued, and one is never started at first: the merge says what is missing, and the script submitted again
// makes that. Merged once and twice, the heads are those of one machine.
func TestSweepSlurm(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel() // it waits more than it works
	c := startSlurm(t)
	s := &slurmSweep{cluster: c, dir: filepath.Join(t.TempDir(), "my 50% of o'brien #1")}
	e2e.Must(t, os.Mkdir(s.dir, 0o777))
	e2e.Must(t, os.WriteFile(filepath.Join(s.dir, "rooms.toml"), []byte(study), 0o666))
	s.podtrack(t, "sweep", "rooms.toml", "--slurm", "job one.sh", "--tasks", "20", "--store", "all runs.db")
	s.edit(t)

	array := s.submit(t, "--hold")
	merge := s.submit(t, "--array=0", "--dependency=afterany:"+array, "merge")
	c.command(t, "scontrol", "release", array+"_[0-6,8-19]")
	s.ended(t, array+"_3", "JobState=FAILED")
	e2e.Must(t, os.Rename(filepath.Join(s.dir, "killed"), filepath.Join(s.dir, "requeued")))
	c.requeue(t, array+"_3")
	c.wait(t, array+"_3", array+"_19")
	s.ended(t, array+"_3", "JobState=COMPLETED")
	c.command(t, "scancel", array+"_7")
	c.wait(t)
	s.says(t, merge, "190 of 200 runs complete, 10 missing; 10 runs to make")

	again := s.submit(t)
	for range 2 {
		merge = s.submit(t, "--array=0", "--dependency=afterany:"+again, "merge")
		c.wait(t)
		s.says(t, merge, "200 of 200 runs complete; nothing is left to make")
		s.compare(t)
	}
	s.says(t, merge, "runs: 200 already there; copied 0 records of 0 bytes")
}

// slurmSweep is a study on a cluster.
type slurmSweep struct {
	*cluster
	dir string
}

// podtrack runs podtrack in the study's folder. It is a program of its own: this test's is of another name.
func (s *slurmSweep) podtrack(t *testing.T, args ...string) {
	t.Helper()
	p := &e2e.Program{Cmd: exec.CommandContext(t.Context(), "podtrack-faults", args...)}
	p.Dir, p.Env, p.Stderr = s.dir, s.env(), &p.Said
	e2e.Must(t, p.Start())
	p.Exit(t, cmdline.ExitDone)
}

// edit has task 3 killed when it has committed some of its runs, in its first attempt.
func (s *slurmSweep) edit(t *testing.T) {
	t.Helper()
	path := filepath.Join(s.dir, "job one.sh")
	text, err := os.ReadFile(path)
	e2e.Must(t, err)
	if lines := strings.Count(string(text), "\n"); lines > 40 {
		t.Errorf("a script of %d lines", lines)
	}
	fault := "\nif [ \"$SLURM_ARRAY_TASK_ID\" = 3 ] && [ ! -e requeued ]; then\n" +
		"  touch killed; export PODTRACK_FAULT_COMMIT=1ms PODTRACK_FAULT=update.commit:12\nfi\nif [ \"$1\" = merge ]"
	edited := strings.Replace(string(text), "\nif [ \"$1\" = merge ]", fault, 1)
	if edited == string(text) {
		t.Fatalf("a script of another form:\n%s", text)
	}
	e2e.Must(t, os.WriteFile(path, []byte(edited), 0o777))
}

// submit submits the script, as its comments say, and returns the job's number. The word merge goes to the script.
func (s *slurmSweep) submit(t *testing.T, flags ...string) string {
	t.Helper()
	args := []string{filepath.Join(s.dir, "job one.sh")}
	if n := len(flags); n > 0 && flags[n-1] == "merge" {
		flags, args = flags[:n-1], append(args, "merge")
	}
	said := s.command(t, "sbatch", append(flags, args...)...)
	m := regexp.MustCompile(`^Submitted batch job ([0-9]+)$`).FindStringSubmatch(said)
	if m == nil {
		t.Fatal(said)
	}
	return m[1]
}

// ended waits until a task is in the state in which it ends.
func (s *slurmSweep) ended(t *testing.T, task, state string) {
	t.Helper()
	var now string
	if err := s.poll(t.Context(), func() bool {
		now, _ = s.run(t.Context(), "scontrol", "show", "job", task)
		return strings.Contains(now, state)
	}); err != nil {
		t.Fatalf("never %s:\n%s\n%s", state, now, s.logs())
	}
}

// says fails the test unless the output of a merge has a line.
func (s *slurmSweep) says(t *testing.T, job, line string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.dir, "job one-parts", job+"_0.log"))
	if err != nil || !strings.Contains("\n"+string(log), "\n"+line+"\n") {
		t.Errorf("no line %q: %v\n%s", line, err, log)
	}
}

// compare compares the heads with those of one machine.
func (s *slurmSweep) compare(t *testing.T) {
	t.Helper()
	local := filepath.Join(s.dir, "local.db")
	s.podtrack(t, "sweep", "rooms.toml", "--store", local)
	all := filepath.Join(s.dir, "all runs.db")
	want, got := e2e.Heads(e2e.List(t, local)), e2e.Heads(e2e.List(t, all, "study=rooms"))
	if len(want) != 200 || !maps.Equal(got, want) {
		t.Errorf("%d runs, %d on one machine; or their heads differ", len(got), len(want))
	}
	s.podtrack(t, "check", "--read-data", "--store", all)
}
