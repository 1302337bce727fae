package sweep

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		f.slurm = new(string)
		return f.check(cli.NewContext(nil, flag.NewFlagSet("sweep", flag.ContinueOnError), nil))
	}
	tasks := func(n int) error { return given(flags{tasks: &n}) }
	schematest.Limits{
		{"specs of a grid", "more than 100000 specs", points(1000, 100), points(1000, 101)},
		{"values of a field", "more than 100000 specs", points(100_000, 1), points(100_001)},
		{"a file", "more than 1048576 bytes", file(1 << 20), file(1<<20 + 1)},
		{"a dotted key", "more than 16 deep", dots(16), dots(17)},
		{"lists in each other", "more than 16 deep", brackets(16), brackets(17)},
		{"tasks", "--tasks 1000001 … use 1 to 1000000", tasks(1_000_000), tasks(1_000_001)},
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
		if err := s.answer(summary{Specs: make([]specCount, n)}, "end").Print(s.Context); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 2+200+strings.Count(more, "\n")+1 ||
			!strings.HasSuffix(out.String(), more+"end\n") || more == "" && strings.Contains(out.String(), "more specs") {
			t.Errorf("%d specs: %d lines that end with %q", n, lines, out.String()[max(0, out.Len()-80):])
		}
	}
}

// TestUsualTasks: a task has up to eight runs, and an array up to a hundred tasks.
func TestUsualTasks(t *testing.T) {
	for runs, want := range map[int]int{
		0: 1, 1: 1, runsPerTask: 1, runsPerTask + 1: 2, (usualTasks - 1) * runsPerTask: usualTasks - 1,
		(usualTasks-1)*runsPerTask + 1: usualTasks, usualTasks*runsPerTask + 1: usualTasks,
	} {
		if got := usualTasksFor(runs); got != want {
			t.Errorf("%d runs: %d tasks, want %d", runs, got, want)
		}
	}
}
