package sweep

import (
	"slices"
	"testing"
)

// TestOurFlags: getopt takes long flags that are cut short, and values that are
// attached to short ones.
func TestOurFlags(t *testing.T) {
	for word, want := range map[string]bool{
		"--array=1": true, "--arr=1": true, "-a0-1": true, "-a": true, "--output": true, "-o/tmp/x": true, "--wait": true,
		"-W": true, "--dep=x": true,
		"--time=1": false, "--partition": false, "-p": false, "cpu": false, "-D": false, "--deadline=now": false,
		"--account=a": false, "-A": false, "--": false, "--a": false, "--wckey=x": false,
	} {
		if got := slices.ContainsFunc(reservedFlags, func(name string) bool { return isFlag(word, name) }); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}

// TestUsualTasks: a task has up to eight runs, and an array up to a hundred tasks.
func TestUsualTasks(t *testing.T) {
	s := sweepRun{flags: &flags{}}
	for missing, want := range map[int]int{
		0: 1, 1: 1, runsPerTask: 1, runsPerTask + 1: 2, (usualTasks - 1) * runsPerTask: usualTasks - 1,
		(usualTasks-1)*runsPerTask + 1: usualTasks, usualTasks*runsPerTask + 1: usualTasks,
	} {
		if got := s.tasks(missing, nil); got != want {
			t.Errorf("%d missing runs: %d tasks, want %d", missing, got, want)
		}
	}
}
