package sweep

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused by an error that names the limit.
func TestLimits(t *testing.T) {
	points := func(sizes ...int) error {
		var fields []string
		values := map[string][]string{}
		for i, n := range sizes {
			field := fmt.Sprint("f", i)
			fields, values[field] = append(fields, field), make([]string, n)
		}
		_, err := countPoints(fields, values)
		return err
	}
	file := func(bytes int) error {
		path := filepath.Join(t.TempDir(), "sweep.toml")
		text := "kappa = 1\n#" + strings.Repeat(" ", bytes-len("kappa = 1\n#"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readGridFile(t.Context(), path)
		return err
	}
	dots := func(n int) error { return checkDepth(strings.Repeat("a.", n) + "a = 1") }
	brackets := func(n int) error { return checkDepth("a = " + strings.Repeat("[", n) + strings.Repeat("]", n)) }
	given := func(f flags) error {
		f.submits = true
		return f.check(cli.NewContext(nil, flag.NewFlagSet("sweep", flag.ContinueOnError), nil))
	}
	tasks := func(n int) error { return given(flags{tasks: &n}) }
	saved := func(every time.Duration) error { return given(flags{saveEvery: &every}) }
	schematest.Limits{
		{"specs of a grid", "more than 100000 specs", points(1000, 100), points(1000, 101)},
		{"values of a field", "more than 100000 specs", points(100_000, 1), points(100_001)},
		{"a file", "more than 1048576 bytes", file(1 << 20), file(1<<20 + 1)},
		{"a dotted key", "more than 16 deep", dots(16), dots(17)},
		{"lists in each other", "more than 16 deep", brackets(16), brackets(17)},
		{"tasks", "--tasks 1000001 … use 1 to 1000000", tasks(1_000_000), tasks(1_000_001)},
		{"time between saves", "--save-every 0s … give a time such as 60s or 5m", saved(1), saved(0)},
		{"a task", "--tasks 0 … use 1 to 1000000", tasks(1), tasks(0)},
	}.Check(t)
}

// TestTableLimit: a table has a row for each of 200 specs, and below it how many more there are.
func TestTableLimit(t *testing.T) {
	for n, more := range map[int]string{200: "", 201: "… and 1 more specs, which --json lists\n"} {
		set := flag.NewFlagSet("sweep", flag.ContinueOnError)
		set.Bool("json", false, "")
		app, out := cli.NewApp(), &bytes.Buffer{}
		app.Writer = out
		s := sweepRun{Context: cli.NewContext(app, set, nil),
			plan: &sweep.Plan{Plan: runset.Plan{Specs: []schema.Spec{pod.PaperSpec()}}}}
		if err := s.answer(nil, summary{Specs: make([]specCount, n)}, "end").Print(s.Context); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 2+200+strings.Count(more, "\n")+1 ||
			!strings.HasSuffix(out.String(), more+"end\n") || more == "" && strings.Contains(out.String(), "more specs") {
			t.Errorf("%d specs: %d lines that end with %q", n, lines, out.String()[max(0, out.Len()-80):])
		}
	}
}

// TestSizes: neither sizes nor times are ever written with an exponent.
func TestSizes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 KB", 999_400: "999 KB", 999_500: "1 MB",
		56_400_000: "56.4 MB", 295_000_000_000: "295 GB", 2_000_000_000_000: "2 TB"} {
		if got := bytesText(&bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
	for seconds, want := range map[float64]string{0.25: "250 ms", 1.44: "1.4 s", 10: "10 s", 12.3: "12 s", 600: "10 min"} {
		if got := durationText(&seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

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
