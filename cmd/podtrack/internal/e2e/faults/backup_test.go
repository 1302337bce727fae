package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestKilledBackup kills backups at their steps. There is no backup then, and the same
// command goes on from what was copied and leaves nothing else behind.
func TestKilledBackup(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	for _, point := range append([]string{"tempdir.marked"}, backups...) {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "backups", "b.db")
			e2e.Must(t, os.Mkdir(filepath.Dir(file), 0o700))
			e2e.Perform(t, append([]string{"run", "--store", store}, smallRun...)...)
			before := readStore(t, store)
			mustBeKilledAt(t, point, "backup", file, "--store", store)
			if _, err := os.Lstat(file); err == nil {
				t.Error("a backup is there that was not finished")
			}
			p := e2e.Start(t, "backup", file, "--store", store, "--json")
			p.Exit(t, 0)
			if resumed := strings.Contains(p.Printed.String(), `"resumed": true`); resumed != (point != "tempdir.marked") {
				t.Errorf("resumed: %v", resumed)
			}
			if left := filesIn(t, filepath.Dir(file)); fmt.Sprint(left) != "[b.db]" {
				t.Errorf("there are %v", left)
			}
			if string(before) != string(readStore(t, store)) {
				t.Error("the store changed")
			}
			e2e.Perform(t, "replay", "--store", file, "@1")
		})
	}
}

// backupOfWork makes a backup FILE beside a store in which a run is at work, kills that,
// and ends the store. A run that was complete by then is followed by a longer one.
func backupOfWork(t *testing.T, dir, store string) {
	t.Helper()
	for iterations := 4; ; iterations *= 2 {
		work := e2e.Start(t, "run", "--store", store, "--bits", "10", "--steps", "1000000", "--seed", "5", "--iterations",
			fmt.Sprint(iterations))
		e2e.WaitUntilRunning(t, store)
		e2e.Perform(t, "backup", filepath.Join(dir, "FILE"), "--store", store, "--force")
		e2e.Must(t, work.Process.Kill())
		_ = work.Wait()
		p := e2e.Start(t, "ls", "--store", filepath.Join(dir, "FILE"), "--json")
		p.Exit(t, 0)
		if strings.Contains(p.Printed.String(), `"interrupted"`) {
			break
		}
	}
	e2e.Must(t, os.WriteFile(store, []byte("damage"), 0o600))
}

// TestBackToABackup gives the very commands of the help, after a disaster, with a run
// that was at work when the backup was made: there it is not, and goes on.
func TestBackToABackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "podtrack.db")
	backupOfWork(t, dir, store)
	_, help, _ := e2e.Podtrack("backup", "--help")
	help, _, _ = strings.Cut(help, "\nEXAMPLE:")
	_, lines, found := strings.Cut(help, "and then:")
	if !found {
		t.Fatal(help)
	}
	given := 0
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "mv" && words[0] != "cp" && words[0] != "podtrack" {
			continue
		}
		given++
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), "PODTRACK_STORE=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	if given != 4 {
		t.Errorf("the help has %d commands", given)
	}
	p := e2e.Start(t, "ls", "--store", store, "--json")
	p.Exit(t, 0)
	if !strings.Contains(p.Printed.String(), `"complete"`) {
		t.Error(p.Printed.String())
	}
}

func readStore(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	e2e.Must(t, err)
	return b
}
