package python

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// versus is a folder in which the programs of versus/ were built and podtrack ran
// the two first seeds of each setting of Table 1 for three iterations.
type versus struct{ python, dir string }

func newVersus(t *testing.T) versus {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the C program is of POSIX threads")
	}
	v := versus{python: schematest.Python(t, "numpy"), dir: t.TempDir()}
	schematest.NeedsPrograms(t, "gcc")
	v.run(t, "gcc", "-O3", "-march=native", "-ffp-contract=off", "-o", v.path("pod"), "../../../versus/pod.c", "-lm",
		"-lpthread")
	store := v.path("store.db")
	for _, reading := range []string{"as-written", "as-published"} {
		for _, hide := range []string{"0", "3"} {
			e2e.Start(t, "run", "--store", store, "--seeds", "0-1", "--iterations", "3", "--reading", reading, "--hide",
				hide).Exit(t, 0)
		}
	}
	measures, arrays := v.path("measures.csv"), v.path("arrays.npz")
	e2e.Start(t, "export", "bits=12", "--store", store, "--format", "csv", "-o", measures).Exit(t, 0)
	e2e.Start(t, "export", "bits=12", "--store", store, "--only", "value,policy", "-o", arrays).Exit(t, 0)
	v.lines(t, "podtrack", v.python, "../../../versus/lines.py", measures, arrays)
	return v
}

func (v versus) path(name string) string { return filepath.Join(v.dir, name) }

// run returns what a command prints.
func (v versus) run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes()
}

// lines keeps what a command prints as the lines of a program.
func (v versus) lines(t *testing.T, program string, command ...string) {
	t.Helper()
	v.keep(t, program, v.run(t, command[0], command[1:]...))
}

func (v versus) keep(t *testing.T, program string, lines []byte) {
	t.Helper()
	if err := os.WriteFile(v.path(program+".csv"), lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// agree returns whether a program's lines are podtrack's, and what was found.
func (v versus) agree(how, program string) (bool, string) {
	out, err := exec.Command(v.python, "../../../versus/agree.py", how, v.path("podtrack.csv"),
		v.path(program+".csv")).CombinedOutput()
	return err == nil, string(out)
}

// TestVersus compares the results of the programs that podtrack is timed against with its own: of the one in C to the
// last digit, of the one in numpy, whose decomposition is LAPACK's, to nine.
func TestVersus(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	v := newVersus(t)
	small := []string{"--runs", "2", "--iterations", "3"}
	saved := v.path("saved")
	const close = "24 of 24 iterations agree: whole numbers exactly, floats within 1e-09\n"
	for _, c := range []struct {
		program string
		command []string
	}{
		{"ring", []string{v.path("pod")}},
		{"table", []string{v.path("pod"), "--table"}},
		{"threads", []string{v.path("pod"), "-j", "3"}},
		{"numpy", []string{v.python, "../../../versus/pod_numpy.py", "--save", saved}},
	} {
		v.lines(t, c.program, append(c.command, small...)...)
		if ok, found := v.agree("close", c.program); !ok || found != close {
			t.Errorf("%s:\n%s", c.program, found)
		}
	}
	out := v.run(t, v.python, "-B", "testdata/check_npz.py", filepath.Join(saved, "as-published-3-1.npz"), "12", "3",
		"0.99", "100", "1e-9", "yes", "")
	if !strings.HasPrefix(string(out), "3 iterations") {
		t.Errorf("what the numpy program saves: %s", out)
	}
	t.Run("parts", v.parts)
}

// parts makes a run diverge from podtrack's.
func (v versus) parts(t *testing.T) {
	lines, err := os.ReadFile(v.path("podtrack.csv"))
	if err != nil {
		t.Fatal(err)
	}
	v.keep(t, "other", bytes.Replace(lines, []byte("as-published,3,1,1,"), []byte("as-published,3,1,1,1"), 1))
	for how, want := range map[string]bool{"close": false, "parting": true} {
		ok, found := v.agree(how, "other")
		if ok != want {
			t.Errorf("%s: agreement %v, want %v:\n%s", how, ok, want, found)
		}
		if named := "as-published, 3 bits hidden, seed 1 parts at iteration 1: purposes\n"; !strings.Contains(found, named) {
			t.Errorf("%s does not name what parts:\n%s", how, found)
		}
	}
}
