package python

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestNumpy lets NumPy check exported runs by its own means: see
// testdata/check_npz.py.
func TestNumpy(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	for name, flags := range map[string][]string{
		"written":   {"--hide", "1"},
		"published": {"--reading", "as-published", "--hide", "1"},
	} {
		e2e.Perform(t, append([]string{"run", "--store", store, "--bits", "9", "--iterations", "3", "--name", name},
			flags...)...)
		file := filepath.Join(dir, name+".npz")
		e2e.Perform(t, "export", name, "--store", store, "-o", file)
		check(t, python, file, map[string]string{"written": "no", "published": "yes"}[name], "", "3 iterations")
	}
	both := filepath.Join(dir, "both.npz")
	e2e.Perform(t, "export", "bits=9", "--store", store, "-o", both)
	for _, r := range e2e.List(t, store) {
		cumulative := "no"
		if r.Reading == "as-published" {
			cumulative = "yes"
		}
		check(t, python, both, cumulative, r.Name+"/", "3 iterations")
	}
	for file, want := range map[string]string{"written": "1 run, 48 arrays", "both": "2 runs, 96 arrays"} {
		file = filepath.Join(dir, file+".npz")
		out, err := exec.Command(python, "testdata/check_about.py", file).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v\n%s\nwant %s", file, err, out, want)
		}
	}
}

func check(t *testing.T, python, file, cumulative, prefix, want string) {
	t.Helper()
	out, err := exec.Command(python, "-B", "testdata/check_npz.py", file, "9", "1", "0.99", "100", "1e-9", cumulative,
		prefix).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%s: %v\n%s", filepath.Base(file), err, out)
	}
}

// TestNumpyBelow lets NumPy check which directions below keeps, and the values of their options.
func TestNumpyBelow(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "rare.npz")
	e2e.Perform(t, "run", "--store", store, "--bits", "9", "--hide", "1", "--iterations", "3", "--dataset", "cumulative",
		"--select", "below", "--kappa", "5")
	e2e.Perform(t, "export", "bits=9", "--store", store, "-o", file)
	check(t, python, file, "yes", "", "3 iterations")
	out, err := exec.Command(python, "testdata/check_below.py", file, "", "5").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "all is as it should be") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNumpyMethods lets NumPy compute the methods that factor a matrix of their own again, from the
// transitions, in the ring and in an environment of another process: see testdata/check_methods.py.
func TestNumpyMethods(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "methods.npz")
	run := func(args ...string) {
		e2e.Perform(t, append([]string{"run", "--store", store, "--iterations", "3"}, args...)...)
	}
	for _, args := range [][]string{
		{"--method", "laplacian", "--set", "state_set=visited", "--select", "top=4"},
		{"--method", "successor", "--set", "psi_gamma=0.7", "--set", "state_set=visited", "--select", "top=4"},
		{"--method", "successor", "--dataset", "cumulative", "--bits", "7", "--select", "top=2"},
		{"--method", "successor-features", "--hide", "2", "--select", "top=4", "--dataset", "cumulative"},
		{"--method", "covering", "--set", "state_set=visited", "--select", "top=1", "--dataset", "cumulative"},
		{"--method", "counts", "--set", "state_set=visited", "--select", "top=1"},
		{"--reading", "covering-eigenoptions"},
		{"--method", "successor-features", "--set", "sides=one", "--select", "top=3"},
		{"--method", "successor-features", "--set", "psi_passes=3", "--set", "sides=published", "--select", "top=3"},
		{"--method", "successor", "--set", "psi_part=symmetric", "--select", "top=3", "--bits", "6", "--dataset",
			"cumulative"},
	} {
		run(append(args, "--steps", "250")...)
	}
	self, err := os.Executable()
	e2e.Must(t, err)
	e2e.Must(t, os.Symlink(self, filepath.Join(dir, "serve-env"))) // by which name it is that program
	outside := e2e.Exec(filepath.Join(dir, "serve-env")) +
		" grid:i-maze --slip 200 --observe real --episode 40 --goal 1"
	for _, method := range []string{"laplacian", "successor", "successor-features", "covering", "counts"} {
		for _, dataset := range []string{"iteration", "cumulative"} {
			args := []string{"--env", outside, "--learner", "empirical", "--gamma", "0.9", "--steps", "150", "--method",
				method,
				"--dataset", dataset, "--select", "top=1"}
			if method != "successor-features" {
				args = append(args, "--set", "state_set=visited")
			}
			run(args...)
		}
	}
	e2e.Perform(t, "export", "iterations=3", "--store", store, "-o", file)
	out, err := exec.Command(python, "-B", "testdata/check_methods.py", file).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "20 runs, 60 iterations") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNumpyROD lets NumPy run the cycle of covering eigenoptions again, over six iterations in four rooms, from the
// steps that were taken: see testdata/check_rod.py. The sign that the iteration's visits alone would give is another in
// some of them.
func TestNumpyROD(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "rod.npz")
	runs := schematest.Size(8, 40)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--reading", "covering-eigenoptions", "--steps",
		"200", "--iterations", "6", "--seeds", fmt.Sprintf("0-%d", runs-1))
	e2e.Perform(t, "export", "env=grid", "--store", store, "-o", file)
	out, err := exec.Command(python, "-B", "testdata/check_rod.py", file).CombinedOutput()
	want := fmt.Sprintf("%d runs, %d iterations; ", runs, 6*runs)
	if err != nil || !strings.HasPrefix(string(out), want) || strings.HasPrefix(string(out), want+"0 ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNumpyCovering lets NumPy run covering options again that start at the other end of their pair, over six
// iterations in four rooms, with every decision of the agent: see testdata/check_covering.py. No eigenvalue ties.
func TestNumpyCovering(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "covering.npz")
	runs := schematest.Size(8, 40)
	e2e.Perform(t, "run", "--store", store, "--env", "grid:four-rooms", "--method", "covering", "--select", "top=1",
		"--dataset", "cumulative", "--set", "initiation=ends", "--steps", "300", "--iterations", "6", "--seeds",
		fmt.Sprintf("0-%d", runs-1))
	e2e.Perform(t, "export", "env=grid", "--store", store, "-o", file)
	out, err := exec.Command(python, "-B", "testdata/check_covering.py", file, "../../../versus").CombinedOutput()
	want := fmt.Sprintf("%d runs, %d iterations, ", runs, 6*runs)
	if err != nil || !strings.HasPrefix(string(out), want) || !strings.HasSuffix(string(out), "; 0 pairs taken\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDescribedArrays: the description in a file of arrays has the runs as ls has them, and each
// array with its type and the number of its axes.
func TestDescribedArrays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "all.npz")
	small := []string{"--store", store, "--steps", "40", "--sweeps", "10", "--iterations", "2"}
	for name, flags := range map[string][]string{
		"plain": {"--bits", "5"}, "": {"--bits", "6"}, "a/b": {"--bits", "4"},
		"lspi":      {"--env", "grid:open", "--learner", "lspi", "--set", "max_option_steps=9"},
		"laplacian": {"--env", "grid:open", "--method", "laplacian"},
		"taxi":      {"--env", "taxi"},
		"visited":   {"--bits", "7", "--method", "laplacian", "--set", "state_set=visited", "--select", "top=2"},
	} {
		args := append(append([]string{"run"}, small...), flags...)
		if name != "" {
			args = append(args, "--name", name)
		}
		e2e.Perform(t, args...)
	}
	e2e.Perform(t, "export", "steps=40", "--store", store, "-o", file)
	headers, text := readNPZ(t, file)
	var about struct {
		Runs []struct {
			Prefix string `json:"prefix"`
			report.Run
		} `json:"runs"`
		Arrays map[string]struct {
			Dtype string   `json:"dtype"`
			Shape []string `json:"shape"`
		} `json:"arrays"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	prefixes := map[string]bool{}
	var described []report.Run
	for _, r := range about.Runs {
		want := r.Short + "/"
		if r.Name != "" && r.Name != "a/b" {
			want = r.Name + "/"
		}
		if r.Prefix != want {
			t.Errorf("run %s (%s) has the prefix %q, want %q", r.Short, r.Name, r.Prefix, want)
		}
		prefixes[r.Prefix] = true
		described = append(described, r.Run)
	}
	want := e2e.List(t, store, "steps=40")
	slices.Reverse(want) // the latest run is the first of ls, and the last of a file
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("the runs are not those of ls (-ls +file):\n%s", diff)
	}
	types := map[string]string{"<i8": "int64", "<i4": "int32", "<i2": "int16", "<f8": "float64", "|b1": "bool"}
	unseen := slices.Collect(maps.Keys(about.Arrays))
	for name, header := range headers {
		parts := strings.Split(name, "/")
		d, ok := about.Arrays[parts[len(parts)-1]]
		if len(parts) != 3 || !prefixes[parts[0]+"/"] || !ok {
			t.Errorf("the array %s is not described", name)
		}
		m := npyHeader.FindStringSubmatch(header)
		if m == nil || types[m[1]] != d.Dtype || strings.Count(m[2], ",") != len(d.Shape) {
			t.Errorf("%s is described as %s %v, its header is %s", name, d.Dtype, d.Shape, header)
		}
		unseen = slices.DeleteFunc(unseen, func(name string) bool { return name == parts[len(parts)-1] })
	}
	slices.Sort(unseen)
	if !slices.Equal(unseen, []string{"external_measures", "observation", "reward"}) { // of other processes
		t.Errorf("no run has the arrays %v", unseen)
	}
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)'.*'shape': \(([0-9,]*)\)`)

// readNPZ returns the headers of the arrays of a file by name, and the content of the one that
// describes them.
func readNPZ(t *testing.T, file string) (headers map[string]string, about []byte) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	headers = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		header, rest, _ := bytes.Cut(content, []byte("\n"))
		if name := strings.TrimSuffix(f.Name, ".npy"); name == "podtrack.json" {
			about = rest
		} else {
			headers[name] = string(header)
		}
	}
	return headers, about
}
