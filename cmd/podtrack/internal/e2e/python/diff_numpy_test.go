package python

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestNumpyAgrees lets NumPy compute what diff says of two runs from their
// exported arrays: see testdata/check_diff.py.
func TestNumpyAgrees(t *testing.T) {
	t.Parallel()
	python := testenv.NumPy(t)
	store := e2e.Small(t, "--seeds", "0-1", "--hide", "1", "--name", "s{seed}")
	dir := filepath.Dir(store)
	for _, name := range []string{"s0", "s1"} {
		e2e.Perform(t, "export", name, "--store", store, "-o", filepath.Join(dir, name+".npz"))
	}
	p := e2e.Start(t, "diff", "s0", "s1", "--store", store, "--json", "--exit-zero")
	p.Exit(t, 0)
	cmd := exec.Command(python, "-B", "testdata/check_diff.py", filepath.Join(dir, "s0.npz"), filepath.Join(dir, "s1.npz"),
		"6", "1", "1e-9")
	cmd.Stdin = &p.Printed
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "2 iterations, ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestScipyAgreesOnGroup lets NumPy and SciPy compute what diff says of a group of runs from their exported arrays: see
// testdata/check_group.py.
func TestScipyAgreesOnGroup(t *testing.T) {
	t.Parallel()
	python := testenv.SciPy(t)
	store := e2e.Small(t, "--seeds", "0-4", "--hide", "1", "--name", "s{seed}")
	args := []string{"-B", "testdata/check_group.py", "6", "1", "1e-9"}
	for seed := range 5 {
		file := filepath.Join(filepath.Dir(store), fmt.Sprintf("s%d.npz", seed))
		e2e.Perform(t, "export", fmt.Sprintf("s%d", seed), "--store", store, "-o", file)
		args = append(args, file)
	}
	p := e2e.Start(t, "diff", "--group", "seed=0-4", "--store", store, "--json")
	p.Exit(t, 0)
	cmd := exec.Command(python, args...)
	cmd.Stdin = &p.Printed
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), " options agree\n") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
