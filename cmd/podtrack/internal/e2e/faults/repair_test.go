package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestRepair takes records, an iteration's row and what points to runs out of a store, and lets the command restore all
// of it.
func TestRepair(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	command := commandsOn(t, store)
	command(0, "run", "--seeds", "0-2", "--bits", "6", "--steps", "200", "--iterations", "4", "--name", "s{seed}")
	command(0, "fork", "s1:2", "--set", "kappa=2", "--name", "branch")
	before := command(0, "ls", "--sort", "run", "--format", "csv")
	if err := os.Chmod(store, 0o640); err != nil {
		t.Fatal(err)
	}
	spoilStore(t, store)
	command(0, "compact") // so that no free page has what was taken out
	damaged, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	out := command(0, "repair")
	for _, want := range []string{"restored: run .*, iteration [0-9], its row",
		"restored: run .*, iteration [0-9], (option|value|factors)", "the damaged file is now .*podtrack.db.damaged"} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("repair does not say %q:\n%s", want, out)
		}
	}
	if after := command(0, "ls", "--sort", "run", "--format", "csv"); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	command(0, "replay", "seed=0-2")
	if kept, err := os.ReadFile(store + ".damaged"); err != nil || !bytes.Equal(kept, damaged) {
		t.Errorf("the damaged file is not kept as it was: %v", err)
	}
	if info, err := os.Stat(store); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if out := command(0, "repair"); !strings.HasPrefix(out, "nothing to repair") {
		t.Error(out)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(store), ".podtrack-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRepairLost: a run whose spec is lost cannot be recomputed; repair says so, and repairs the rest.
func TestRepairLost(t *testing.T) {
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--store", store, "--seeds", "0-1", "--bits", "6", "--steps", "100", "--iterations", "2")
	changeStore(t, store, func(tx *bbolt.Tx) error {
		key, _ := tx.Bucket([]byte("runs")).Cursor().First()
		return tx.Bucket([]byte("runs")).Delete(bytes.Clone(key))
	})
	e2e.Perform(t, "compact", "--store", store) // so that no free page has it
	code, stdout, stderr := e2e.Podtrack("repair", "--store", store)
	if code != 1 || !strings.Contains(stdout, "lost: the spec of run") ||
		!strings.Contains(stderr, "not everything could be restored") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := e2e.Podtrack("replay", "--store", store, "seed=0-1"); code != 0 {
		t.Error(stderr)
	}
	if _, stdout, _ := e2e.Podtrack("ls", "--store", store, "--json"); strings.Count(stdout, `"run":`) != 1 {
		t.Error(stdout)
	}
}

// commandsOn returns a function that gives podtrack's commands on a store. It returns what a command
// printed, and fails if the exit code is another one than wanted.
func commandsOn(t *testing.T, store string) func(want int, args ...string) string {
	return func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := e2e.Podtrack(append(args, "--store", store)...)
		if code != want {
			t.Fatalf("%s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
		}
		return stdout + stderr
	}
}
