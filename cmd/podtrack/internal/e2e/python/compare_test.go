package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestCSV lets Python compute the numbers of compare again from export's: see
// testdata/check_csv.py. The first group has a run more, the second a shorter one.
func TestCSV(t *testing.T) {
	t.Parallel()
	testenv.NeedsPrograms(t, "python3")
	dir := t.TempDir()
	store, exported, compared := filepath.Join(dir, "store.db"), filepath.Join(dir, "export.csv"),
		filepath.Join(dir, "compare.csv")
	run := func(flags ...string) {
		e2e.Perform(t, append([]string{"run", "--store", store, "--bits", "7", "--steps", "200", "--sweeps", "30"},
			flags...)...)
	}
	run("--seeds", "0-6", "--iterations", "3")
	run("--seeds", "0-4", "--iterations", "3", "--reading", "as-published")
	run("--seed", "5", "--iterations", "1", "--reading", "as-published")
	e2e.Perform(t, "export", "env=ring", "--store", store, "--format", "csv", "-o", exported)
	p := e2e.Start(t, "compare", "reading=as-written", "reading=as-published", "--store", store, "--paired", "seed",
		"--measure", "all", "--format", "csv")
	p.Exit(t, 0)
	if err := os.WriteFile(compared, p.Printed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "testdata/check_csv.py", exported, compared, "reading", "as-written",
		"as-published").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "33 rows agree" { // 11 measures of 3 iterations
		t.Errorf("%v\n%s", err, out)
	}
}
