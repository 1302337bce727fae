package faults

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestKilledOutside kills runs in an environment of another process after each of their first transactions, most of
// which are checkpoints within an iteration. The same command continues by repeating the recorded actions, and ends in
// the same bytes; a state that the program itself could restore is not used.
func TestKilledOutside(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	needsFaults(t)
	for name, options := range map[string]string{
		"prints":   " --observe real --clocks 96", // more than a checkpoint holds whole
		"repeated": " --limit 30 --length 40 --observe real",
	} {
		if name != "repeated" && !schematest.Long() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--env", e2e.Corridor(t) + options, "--steps", "2000", "--iterations", "2", "--kappa", "3"}
			if name == "repeated" {
				args = append(args, "--learner", "lspi")
			}
			want, within := undisturbed(t, args), 0
			for n := 4; n <= schematest.Size(4, 18) || within == 0; n += schematest.Size(1, 5) {
				store := filepath.Join(t.TempDir(), "store.db")
				run := append([]string{"run", "--store", store}, args...)
				if !killed(t, startFaulty(t, []string{hurried, fmt.Sprintf("PODTRACK_FAULT=commit.after:%d", n)}, run...)) {
					break // there are as many transactions as there was time for
				}
				s := afterDeath(t, store)
				if checkRun(t, s, n+1, want); s.checkpoint && s.steps > 0 && s.steps < 2000 {
					within++
				}
				e2e.Start(t, run...).Exit(t, 0)
				checkRun(t, afterDeath(t, store), allTransactions, want)
				e2e.Perform(t, "replay", "--store", store, "@1", "--env", args[1])
			}
			if within == 0 {
				t.Error("no run was killed within an iteration")
			}
		})
	}
}

// TestLearnersKilled kills runs whose learners know no model after every other transaction: in collecting, between
// options, and where transitions of earlier iterations accumulate. Each ends in the bytes of an undisturbed run.
func TestLearnersKilled(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	needsFaults(t)
	small := []string{"--bits", "10", "--kappa", "20", "--iterations", "3"}
	for learner, more := range map[string][]string{
		"empirical":  {"--steps", "300000", "--reading", "as-published"},
		"lspi":       {"--steps", "300000", "--dataset", "cumulative"},
		"q-learning": {"--steps", "20000", "--sweeps", "5"},
	} {
		t.Run(learner, func(t *testing.T) {
			t.Parallel()
			args := append(append([]string{"--learner", learner}, small...), more...)
			want, kills := undisturbed(t, args), 0
			for n := 1; kills < schematest.Size(3, 6) && killAt(t, args, "commit.after", n, n+1, want); n += 2 {
				kills++
			}
			if kills < 3 {
				t.Errorf("killed %d times", kills)
			}
		})
	}
}
