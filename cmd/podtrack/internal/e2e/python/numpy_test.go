package python

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestNumpyComputesFields lets NumPy compute runs from their specs, by its own means, with each of the fields
// that change how options are discovered and used: see testdata/oracle.py.
func TestNumpyComputesFields(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	for name, flags := range map[string]string{
		"plain":            "",
		"scaled":           "--set feature_scale=rms --hide 1",
		"scaled-published": "--set feature_scale=rms --reading as-published",
		"replace":          "--set lifetime=replace --reading as-published --seed 3",
		"last":             "--set lifetime=last=2 --set leave_out=1+13 --seed 4",
		"seldom":           "--set option_probability=0.05 --reading as-published --seed 6",
		"always":           "--set option_probability=1 --set lifetime=replace --seed 7",
		"zeta":             "--set behaviour=zeta=2 --kappa 1e12 --seed 10",
		"zeta-options":     "--set behaviour=zeta=3 --set option_probability=0.1 --seed 11",
		"geometric":        "--set behaviour=geometric=200 --reading as-published --seed 12",
		"posterior":        "--basis posterior --select all --dataset cumulative --set lifetime=replace --seed 13",
		"posterior-ridge":  "--basis posterior --select all --set ridge=0.5 --set sides=one --hide 2 --seed 14",
		"random":           "--basis random --set feature_scale=rms --seed 8",
		"one-sided":        "--set sides=one --seed 9",
		"cycle": "--set sides=one --basis rows-of-v --set lifetime=replace --set option_probability=0.1 " +
			"--set feature_scale=rms",
		"scaled-replace": "--set feature_scale=rms --set lifetime=replace --dataset cumulative --seed 5",
	} {
		e2e.Perform(t, append([]string{"run", "--store", store, "--bits", "7", "--steps", "300", "--iterations", "4",
			"--name",
			name}, strings.Fields(flags)...)...)
		computeByNumpy(t, python, store, dir, name, specOf(t, store, dir, name))
	}
	out, err := exec.Command(python, "-B", "testdata/oracle.py", filepath.Join(dir, "replace.npz"),
		filepath.Join(dir, "last.json")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "state differs") {
		t.Errorf("a run is taken for one of another spec: %v\n%s", err, out)
	}
	e2e.Perform(t, "fork", "replace:2", "--store", store, "--set", "lifetime=keep", "--name", "kept")
	computeByNumpy(t, python, store, dir, "kept", specOf(t, store, dir, "replace"), specOf(t, store, dir, "kept")+"@2")
}

// specOf writes a run's spec into a file.
func specOf(t *testing.T, store, dir, run string) string {
	t.Helper()
	file := filepath.Join(dir, run+".json")
	if err := os.WriteFile(file, []byte(e2e.Perform(t, "show", run, "--spec", "--store", store)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// computeByNumpy compares a run with what NumPy computes from its specs.
func computeByNumpy(t *testing.T, python, store, dir, run string, specs ...string) {
	t.Helper()
	file := filepath.Join(dir, run+".npz")
	e2e.Perform(t, "export", run, "--store", store, "-o", file)
	out, err := exec.Command(python, append([]string{"-B", "testdata/oracle.py", file}, specs...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "iterations, ") {
		t.Errorf("%s: %v\n%s", run, err, out)
	}
}

// TestNumpyExploration lets NumPy compute the measures of exploration from the exported states, to 1e-9:
// see testdata/check_exploration.py. The numbers of states that can be reached are those of the
// environments: 2^bits, cells without walls (5² and 24 passages of the spiral), and 404 of the taxi's
// 500 (no passenger is at the destination at first).
func TestNumpyExploration(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	runs := []struct {
		name  string
		flags []string
	}{
		{"ring", []string{"--bits", "8", "--steps", "500", "--reading", "as-published"}},
		{"small", []string{"--bits", "3", "--steps", "300"}},
		{"none", []string{"--bits", "6", "--kappa", "1e9"}},
		{"rooms", []string{"--env", "grid", "--set", "slip=200", "--steps", "400"}},
		{"spiral", []string{"--env", "maze", "--set", "kind=spiral", "--set", "size=5", "--set", "observe=binary",
			"--steps", "400"}},
		{"taxi", []string{"--env", "taxi", "--set", "episode=37", "--steps", "400"}},
	}
	for _, r := range runs {
		e2e.Perform(t, append([]string{"run", "--store", store, "--iterations", "3", "--name", r.name}, r.flags...)...)
	}
	e2e.Perform(t, "run", "--store", store, "--iterations", "3", "--name", "outside", "--env", e2e.Corridor(t),
		"--steps", "200",
		"--learner", "empirical", "--kappa", "0.5")
	e2e.Perform(t, "fork", "ring:2", "--set", "kappa=3", "--set", "steps=700", "--iterations", "5", "--store", store,
		"--name",
		"forked")
	for name, want := range map[string]string{
		"ring": "3 256", "small": "3 8", "none": "3 64", "rooms": "3 104", "spiral": "3 49",
		"taxi": "3 404", "outside": "3 -",
		"forked": "5 256",
	} {
		iterations, states, _ := strings.Cut(want, " ")
		file := filepath.Join(dir, name+".npz")
		e2e.Perform(t, "export", name, "--store", store, "-o", file)
		out, err := exec.Command(python, "-B", "testdata/check_exploration.py", file, states).CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || !strings.HasPrefix(text, iterations+" iterations, ") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestNumpyImport imports one walk, and its D, from all that NumPy makes of them:
// they are one run each, whatever the types, orders and compression.
func TestNumpyImport(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	export := filepath.Join(dir, "export.npz")
	e2e.Perform(t, "run", "--store", store, "--bits", "8", "--steps", "500", "--iterations", "1", "--name", "base")
	e2e.Perform(t, "export", "base", "--store", store, "-o", export)
	if out, err := exec.Command(python, "testdata/make_npz.py", dir, export).CombinedOutput(); err != nil {
		t.Fatalf("make_npz.py: %v\n%s", err, out)
	}
	for kind, want := range map[string]int{"walk": 12, "rows": 14, "bad": 2} {
		files, err := filepath.Glob(filepath.Join(dir, kind+"-*.npz"))
		if err != nil || len(files) != want {
			t.Fatalf("%d files of %s, want %d: %v", len(files), kind, want, err)
		}
		for _, file := range files {
			args := []string{"import", "--store", store, "--npz", file}
			if kind == "walk" {
				args = append(args, "--bits", "8")
			}
			code := 0
			if kind == "bad" {
				code = 2
			}
			e2e.Start(t, args...).Exit(t, code)
		}
	}
	runs := e2e.List(t, store)
	if len(runs) != 3 {
		t.Fatalf("%d runs, want the walk, the import of it and its D", len(runs))
	}
	for _, r := range runs {
		if r.Name != "base" && !strings.Contains(r.Note, ".npz, SHA-256 ") {
			t.Errorf("run %s has the note %q", r.ID, r.Note)
		}
	}
}

// TestNumpyLSPI lets NumPy learn the options of a run by least-squares policy iteration: see
// testdata/check_lspi.py. On 24×24 cells there are 2308 weights, more than are eliminated: with few
// steps few of them are unknown, and with many more than that.
func TestNumpyLSPI(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	dir := t.TempDir()
	side := 24
	rows := strings.Repeat(strings.Repeat(".", side)+"\n", side-1)
	room := filepath.Join(dir, "room.mdp")
	if err := os.WriteFile(room, []byte("24,24\nS"+strings.Repeat(".", side-1)+"\n"+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		flags []string
		want  string
		long  bool
	}{
		"few":  {[]string{"--steps", "500", "--set", "slip=100"}, "2 options of 2308 weights agree", false},
		"many": {[]string{"--steps", "60000"}, "2 options of 2308 weights agree", true},
	} {
		if tt.long && !schematest.Long() {
			continue
		}
		store, file := filepath.Join(dir, name+".db"), filepath.Join(dir, name+".npz")
		e2e.Perform(t, append([]string{"run", "--store", store, "--env", "grid:" + room, "--learner", "lspi", "--select",
			"top=1", "--iterations", "1", "--name", "room"}, tt.flags...)...)
		e2e.Perform(t, "export", "room", "--store", store, "-o", file)
		out, err := exec.Command(python, "-B", "testdata/check_lspi.py", file).Output()
		if err != nil || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestNumpyAgrees lets NumPy compute what diff says of two runs from their
// exported arrays: see testdata/check_diff.py.
func TestNumpyAgrees(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
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
	python := schematest.Python(t, "numpy", "scipy")
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

// TestCSV lets Python compute the numbers of compare again from export's: see
// testdata/check_csv.py. The first group has a run more, the second a shorter one.
func TestCSV(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
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
	if err != nil || strings.TrimSpace(string(out)) != "66 rows agree" { // 2 groups, 11 measures of 3 iterations
		t.Errorf("%v\n%s", err, out)
	}
}

// studyFile is a study of three variants in two settings, which are a part of it. One has a second outcome.
const studyFile = `seeds = "0-9"
iterations = 2
[[setting]]
name = "ring"
env = "ring"
bits = 5
steps = 60
part = "both"
outcome = "distance"
second = { outcome = "steps_to_half" }
[[setting]]
name = "rooms"
env = "grid"
map = "four-rooms"
steps = 60
part = "both"
outcome = "covered"
[[variant]]
name = "pod"
[[variant]]
name = "complement"
dataset = "cumulative"
select = "below"
kappa = 2
[[variant]]
name = "primitives"
select = "none"
`

// TestStudy lets NumPy and SciPy compare the variants of a study again: see testdata/check_study.py.
func TestStudy(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy", "scipy")
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "small.toml")
	schematest.Must(t, os.WriteFile(file, []byte(studyFile), 0o666))
	e2e.Perform(t, "sweep", file, "--store", store)
	answers := map[string][]string{
		"study.json": {"compare", "study=small", "--json"},
		"runs.csv": {"ls", "study=small", "--columns", "setting,variant,seed,distance,covered,steps_to_half", "--format",
			"csv"},
	}
	for name, command := range answers {
		p := e2e.Start(t, append(command, "--store", store)...)
		p.Exit(t, 0)
		schematest.Must(t, os.WriteFile(filepath.Join(dir, name), p.Printed.Bytes(), 0o666))
	}
	out, err := exec.Command(python, "testdata/check_study.py", filepath.Join(dir, "study.json"),
		filepath.Join(dir, "runs.csv")).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "6 comparisons agree, 2 over settings" {
		t.Errorf("%v\n%s", err, out)
	}
}
