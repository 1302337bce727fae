package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// addressLimit is what the commands of [TestCommandsUnderLimits] can have, in KiB. A
// program that was built with cgo reserves most of it before it begins.
const addressLimit = 2_500_000

// A hugeEnv is an environment at the bounds of what a spec can name.
type hugeEnv struct {
	records []string // flags of the runs that the records are of
	spec    func(*schema.Spec)
}

// hugeEnvs are environments at the bounds of what a spec can name, each with small
// runs whose records are put under a spec of it.
var hugeEnvs = addRegistered(map[string]hugeEnv{
	"ring": {[]string{"--bits", "3"}, func(s *schema.Spec) { s.Env.Params["bits"] = 28 }},
	"ring learned exactly": {[]string{"--bits", "3", "--learner", "exact"}, func(s *schema.Spec) {
		s.Env.Params["bits"], s.Dataset = 28, schema.Cumulative
	}},
	"ring learned from experience": {[]string{"--bits", "3", "--learner", "empirical"}, func(s *schema.Spec) {
		s.Env.Params["bits"] = 28
	}},
	"grid": {[]string{"--env", "grid:open"}, func(s *schema.Spec) {
		s.Env.Text[envs.MapParameter] = openMap(128, 128)
	}},
	"grid with chance": {[]string{"--env", "grid:open", "--set", "slip=100", "--set", "goal=1"}, func(s *schema.Spec) {
		s.Env.Text[envs.MapParameter] = openMap(128, 128)
	}},
	"laplacian": {[]string{"--env", "grid:open", "--method", "laplacian"}, func(s *schema.Spec) {
		s.Env.Text[envs.MapParameter] = openMap(32, 64)
	}},
	"successor": {
		[]string{"--env", "grid:open", "--method", "successor", "--dataset", "cumulative"}, func(s *schema.Spec) {
			s.Env.Text[envs.MapParameter] = openMap(32, 64)
		},
	},
	"very long": {[]string{"--bits", "3"}, func(s *schema.Spec) { s.Steps = schema.MaxSteps }},
	"rows": {[]string{"--bits", "3"}, func(s *schema.Spec) {
		s.Env, s.Data = rowsEnv(envs.MaxRowFeatures), schema.Name(nil)
	}},
	"external": {[]string{"--bits", "3", "--learner", "empirical"}, func(s *schema.Spec) {
		x := &schema.External{Version: "1", Actions: []string{"left", "right"}, Observes: schema.Real, Size: envs.MaxFeatures}
		for i := range x.Size {
			x.Features = append(x.Features, fmt.Sprintf("f%d", i))
		}
		s.Env = schema.Env{Name: "elsewhere", External: x}
	}},
})

// addRegistered adds each environment of podtrack that is not listed, with its numbers as large as it takes
// them.
func addRegistered(all map[string]hugeEnv) map[string]hugeEnv {
	for _, e := range envs.RegisteredEnvs() {
		if _, listed := all[e.Name]; listed {
			continue
		}
		all[e.Name] = hugeEnv{[]string{"--env", e.Name}, func(s *schema.Spec) {
			for _, p := range e.Parameters {
				before := s.Env.Params[p.Name]
				s.Env.Params[p.Name] = p.Max
				if _, err := envs.NewEnv(s.Env); err != nil {
					s.Env.Params[p.Name] = before
				}
			}
		}}
	}
	return all
}

func rowsEnv(features int64) schema.Env {
	env, err := envs.DefaultEnv(envs.RowsName)
	if err != nil {
		panic(err)
	}
	env.Params[envs.FeaturesParameter] = features
	return env
}

// openMap returns a map without walls.
func openMap(rows, columns int) string {
	first := "S" + strings.Repeat(".", columns-2) + "G\n"
	return fmt.Sprintf("%d,%d\n", rows, columns) + first + strings.Repeat(strings.Repeat(".", columns)+"\n", rows-1)
}

// tried are the arguments that commands are tried with, by their names, but for those that are tried with their
// examples. Each is given the store in STORE; FORGED is its path, SPEC a file with the
// spec of its runs, MAP a map, DATA an archive of arrays and OUT a file to be written.
var tried = map[string][]string{
	"run": {"run --spec SPEC", "run --spec SPEC --store OUT", "run --spec SPEC --learner exact --parallel 2 --seeds 7-9",
		"run --spec SPEC --learner empirical --store OUT --iterations 1 --steps 10"},
	"resume": {"resume @1 --iterations 9"}, "ls": {"ls", "ls --json", "ls --best distance"},
	"status": {"status", "status @1"},
	"label":  {"label @1 --tag x", "label @1 --name x --note x"},
	"show": {"show @1", "show @1 --json", "show @1 --spec", "show @1 --exploration", "show --group seed=0-9",
		"show --group seed=0-9 --measure exploration"},
	"options": {"options @1", "options @1 --json"},
	"replay":  {"replay @1", "replay @1 --sample 1/3"},
	"diff":    {"diff @1 @2", "diff @1:0 @1:1", "diff @1:0/1+ @1:0/1-", "diff --group seed=0-9"},
	"compare": {"compare seed=0-6 seed=0-9"},
	"why":     {"why @1:1/1+", "why @1:1/1+ -o -"},
	"fork":    {"fork @1:1 --set gamma=0.5"},
	"rm":      {"rm @1 --yes"},
	"check":   {"check", "check --read-data"},
	"repair":  {"repair", "repair --pruned"},
	"merge":   {"merge FORGED --store OUT"},
	"export": {"export @1 -o OUT", "export @1 -o OUT --mappable --iterations 0",
		"export @1 -o OUT --format bundle", "export @1 --format csv"},
	"import":    {"import --npz DATA --spec SPEC", "import --npz DATA --bits 28", "import --npz DATA --as delta"},
	"plot walk": {"plot walk --by seed seed=0-9 -o OUT --format csv", "plot walk @1 -o OUT --format svg"},
	"evaluate":  {"evaluate @1 --task goal=3 --seeds 0 --episodes 3", "evaluate @1 --diffusion"},
	"run check": {"run check --select exec:false --bits 4"},
	"serve":     {"serve"},
	"sweep": {"sweep --spec SPEC --seeds 0-9 --dry-run", "sweep --spec SPEC --seeds 0-9",
		"sweep --bits 26,27,28 --dry-run", "sweep --spec SPEC --slurm OUT"},
	"completion": {"completion bash"},
}

// init adds the examples of the other commands.
func init() {
	for _, line := range missingExamples(slices.Collect(maps.Keys(tried)), "@1", "@2", " -o OUT --format csv") {
		tried[line] = []string{line}
	}
}

// TestCommandsUnderLimits gives every command stores whose runs are of the largest
// environments, over records of small ones, and little memory. Each ends as it is
// documented to, whatever it says.
func TestCommandsUnderLimits(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	limits := []string{fmt.Sprintf("ulimit -v %d", addressLimit)}
	if schematest.Long() {
		limits = append(limits, "ulimit -d 400000", "ulimit -v 6000000")
	}
	for _, limit := range limits {
		if out, err := limited(t, time.Minute, limit, "--version").CombinedOutput(); err != nil {
			schematest.SkipLacking(t, "under %s the program does not even start: %v\n%.300s", limit, err, out)
		}
	}
	for name, huge := range hugeEnvs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := forgedPlace(t, huge.records, huge.spec)
			for i, limit := range limits {
				if i > 0 && name != "ring" {
					break // what a limit refuses is refused alike in all environments
				}
				for _, command := range slices.Sorted(maps.Keys(tried)) {
					for i, line := range tried[command] {
						if name != "ring" && !schematest.Long() && (i > 0 || !slices.Contains(first, command)) {
							continue
						}
						tryCommand(t, limit, place, line)
					}
				}
			}
		})
	}
}

// TestAddresses gives commands that take more and more memory the least addresses that
// the program starts with, and a little more: what the heap needs is reserved before
// mapped files and threads take it, or the program says that there is too little.
func TestAddresses(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	for limit := 1_500_000; limit <= 2_300_000; limit += schematest.Size(800_000, 200_000) {
		ulimit := fmt.Sprintf("ulimit -v %d", limit)
		if limited(t, stopAfter, ulimit, "--version").Run() != nil && limit < 2_000_000 {
			continue // refused, or Go itself does not start
		}
		for _, line := range []string{
			"run --env taxi --steps 4000000000 --iterations 1", "run --bits 4 --seeds 0-999999",
			"sweep --bits 4 --seeds 0-999999 --dry-run",
			"sweep --env grid:open --set observe=binary --steps 2147483647 --seeds 0-1",
		} {
			tryCommand(t, ulimit, "", line)
		}
	}
}

// served are documents of runs that serve is asked for; R is one's ID.
var served = []string{
	"ls?json=true", "show?of=R&json=true", "show?of=R&exploration=true&json=true", "show?of=R&file=true",
	"options?of=R&json=true", "options?of=R&rejected=true&json=true",
	"why?of=R:0/1%2B&json=true", "why?of=R:0/1%2B&forward=true&json=true",
	"diff?of=R&of=R&json=true", "diff?group=true&of=seed=0-9&json=true", "compare?of=seed=0&of=seed=1&json=true",
	"plot-walk?of=R&format=svg", "plot-coverage?of=R&format=svg", "plot-visits?of=R&format=svg",
	"plot-spectrum?of=R&format=svg", "plot-option?of=R:0/1%2B&format=svg",
}

// TestServeUnderLimits: whatever a server is asked about runs of the largest environments, it answers, not as if the
// request were wrong, and is still there.
func TestServeUnderLimits(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	limit := fmt.Sprintf("ulimit -v %d", addressLimit)
	if out, err := limited(t, time.Minute, limit, "--version").CombinedOutput(); err != nil {
		schematest.SkipLacking(t, "under %s the program does not even start: %v\n%.300s", limit, err, out)
	}
	for name, huge := range hugeEnvs {
		if name != "ring" && name != "grid" && !schematest.Long() {
			continue
		}
		if name == "very long" {
			continue // figures of what 2^40 steps do without options are given up after a minute each
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(forgedPlace(t, huge.records, huge.spec), "forged.db")
			id := e2e.List(t, store)[0].ID.String()
			p := limited(t, stopAfter, limit, "serve", "--store", store)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			p = exec.CommandContext(ctx, p.Path, p.Args[1:]...) // as long as it is asked
			p.Cancel, p.WaitDelay = func() error { return p.Process.Signal(syscall.SIGTERM) }, time.Minute
			var stderr bytes.Buffer
			p.Stderr = &stderr
			out, err := p.StdoutPipe()
			e2e.Must(t, err)
			e2e.Must(t, p.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			e2e.Must(t, err)
			for _, path := range append(served, "style.css") {
				r, err := http.Get(strings.TrimSuffix(line, "\n") + strings.ReplaceAll(path, "R", id))
				if err != nil {
					t.Fatalf("%s: %v\n%.1500s", path, err, stderr.String())
				}
				_, _ = io.Copy(io.Discard, r.Body) // what it says is not looked at
				r.Body.Close()
				if r.StatusCode == http.StatusBadRequest || r.StatusCode != http.StatusOK && path == "style.css" {
					t.Errorf("%s: %s", path, r.Status)
				}
			}
			stop()
			err = p.Wait()
			checkEnd(t, p, "serve", stderr.Bytes(), err)
		})
	}
}

// TestMisfits: check and merge tell that records are not of the shapes that their
// spec makes, though every digest and link follows from them.
func TestMisfits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ring":                         "3 features, but the run's spec makes 28",
		"ring learned from experience": "3 features, but the run's spec makes 28",
		"grid":                         "100 features, but the run's spec makes 16384",
		"laplacian":                    "100 features, but the run's spec makes 2048",
		"rows":                         "environment \"rows\" has no such records",
		"external":                     "3 features, but the run's spec makes 4096",
		"very long":                    "it has 60 steps, but an iteration has 1099511627776 in chunks of 1048576",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			huge := hugeEnvs[name]
			dir := forgedPlace(t, huge.records, huge.spec)
			forged := filepath.Join(dir, "forged.db")
			commands := [][]string{
				{"check", "--read-data", "--store", forged},
				{"merge", forged, "--store", filepath.Join(dir, "merged.db")},
			}
			if name != "very long" { // a record that was not read cannot be reported
				commands = append(commands, []string{"check", "--store", forged})
			}
			for _, command := range commands {
				p := e2e.Start(t, command...)
				p.Exit(t, cmdline.ExitDifference)
				if strings.Contains(p.Said.String(), "podtrack repair") {
					t.Errorf("%s advises a repair, which changes nothing: %s", command[0], p.Said.String())
				}
				if out := p.Printed.String() + p.Said.String(); !strings.Contains(out, want) ||
					!strings.Contains(out, "iteration 0") {
					t.Errorf("%s does not say %q of iteration 0:\n%s", command[0], want, out)
				}
			}
			if left := e2e.List(t, filepath.Join(dir, "merged.db")); len(left) > 0 {
				t.Errorf("%d runs were merged", len(left))
			}
		})
	}
}

// first are the commands that are tried with every environment, even where tests are
// to be short: each reads records by its spec in another way.
var first = []string{"run", "options", "replay", "diff", "why", "export", "merge"}

// forgedPlace returns a folder with a store of two runs whose specs are not those that its
// records were made with, and with what else the commands of [tried] name.
func forgedPlace(t *testing.T, flags []string, change func(*schema.Spec)) string {
	t.Helper()
	dir := t.TempDir()
	small := filepath.Join(dir, "small.db")
	run := []string{"run", "--store", small, "--steps", "60", "--seeds", "0-1", "--iterations", "2"}
	e2e.Perform(t, append(run, flags...)...)
	forge(t, small, filepath.Join(dir, "forged.db"), change)
	p := e2e.Start(t, "show", "@1", "--spec", "--store", filepath.Join(dir, "forged.db"))
	p.Exit(t, 0)
	e2e.Must(t, os.WriteFile(filepath.Join(dir, "spec.json"), p.Printed.Bytes(), 0o600))
	e2e.Perform(t, "export", "@1", "-o", filepath.Join(dir, "data.npz"), "--store", small)
	return dir
}

// forge copies the runs of a store into another one, their records as they are, under
// specs that are changed. Every digest and link follows from them.
func forge(t *testing.T, from, to string, change func(*schema.Spec)) {
	t.Helper()
	source, forged := tracker.New(from, tracker.Options{}), tracker.New(to, tracker.Options{})
	e2e.Must(t, forged.Create(t.Context()))
	w := groupcommit.Start(t.Context(), forged)
	for _, r := range e2e.List(t, from) {
		e2e.Must(t, source.View(t.Context(), func(tx *tracker.Tx) error {
			its, err := tx.ReadIterations(r.ID)
			e2e.Must(t, err)
			spec := r.Spec
			spec.Env = spec.Env.Clone()
			change(&spec)
			rw, held, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: len(its)})
			e2e.Must(t, err)
			link := held.Run.ID
			for k, it := range its {
				for _, e := range it.Records {
					record, err := tx.ReadRecord(e.Name)
					e2e.Must(t, err)
					_, err = rw.Put(record)
					e2e.Must(t, err)
				}
				link, err = schema.Link(k, link, it.Records)
				e2e.Must(t, err)
				e2e.Must(t, rw.SealIteration(k, schema.Iteration{Link: link, Records: it.Records}, tracker.Cost{}))
			}
			rw.Release(func(err error) { e2e.Must(t, err) })
			return nil
		}))
	}
	e2e.Must(t, w.Close(t.Context()))
}

// limited returns the program under a limit of the shell, told to stop after so long.
func limited(t *testing.T, stopAfter time.Duration, limit string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	e2e.Must(t, err)
	alias := filepath.Join(t.TempDir(), "podtrack") // the name makes a test's binary the program
	e2e.Must(t, os.Symlink(self, alias))
	ctx, cancel := context.WithTimeout(t.Context(), stopAfter)
	t.Cleanup(cancel)
	p := exec.CommandContext(ctx, "sh", append([]string{"-c", limit + ` && exec "$0" "$@"`, alias}, args...)...)
	p.Cancel = func() error { return p.Process.Signal(syscall.SIGTERM) }
	p.WaitDelay = time.Minute // then it is killed, which fails the test
	return p
}

// stopAfter is when a command that has found enough memory is told to stop: it may be
// at work for days.
var stopAfter = schematest.Size(500*time.Millisecond, time.Second)

// tryCommand gives one command the forged store of a place under a limit, and none
// without a place.
func tryCommand(t *testing.T, limit, place, line string) {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store.db")
	if place != "" {
		e2e.Must(t, os.WriteFile(store, e2e.ContentOf(t, filepath.Join(place, "forged.db")), 0o600))
	}
	files := strings.NewReplacer("FORGED", filepath.Join(place, "forged.db"), "SPEC", filepath.Join(place, "spec.json"),
		"DATA", filepath.Join(place, "data.npz"), "OUT", filepath.Join(t.TempDir(), "out"))
	args := strings.Fields(line)
	for i := range args {
		args[i] = files.Replace(args[i])
	}
	_, _ = tryLimited(t, limit, []string{"PODTRACK_STORE=" + store}, args...) // whatever it says
}

// tryLimited executes a command under a limit, and fails where it does not end as documented.
// One that was told to stop before it had begun is executed again.
func tryLimited(t *testing.T, limit string, env []string, args ...string) (out []byte, err error) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		p := limited(t, time.Duration(attempt)*stopAfter, limit, args...)
		p.Env, p.Dir = append(os.Environ(), env...), t.TempDir()
		out, err = p.CombinedOutput()
		if stoppedAtStart(p, out) && attempt < 5 {
			continue
		}
		checkEnd(t, p, limit+"; podtrack "+strings.Join(args, " "), out, err)
		return out, err
	}
}

// stoppedAtStart reports whether a signal ended a process that has printed nothing and had
// little of the processors: on a busy machine it comes before the program awaits it.
func stoppedAtStart(p *exec.Cmd, out []byte) bool {
	const bySignal = -1
	return p.ProcessState.ExitCode() == bySignal && len(out) == 0 &&
		p.ProcessState.UserTime()+p.ProcessState.SystemTime() < stopAfter/4
}

// checkEnd fails where a process did not end as it is documented to.
func checkEnd(t *testing.T, p *exec.Cmd, what string, out []byte, err error) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v", what, err)
		return
	}
	code := p.ProcessState.ExitCode()
	documented := slices.Contains([]int{
		cmdline.ExitDone, cmdline.ExitDifference, cmdline.ExitFailure, cmdline.ExitNoStore, cmdline.ExitLocked,
		cmdline.ExitNotStore, cmdline.ExitUnverified, cmdline.ExitInterrupted,
	}, code)
	if !documented || bytes.Contains(out, []byte("goroutine")) || bytes.Contains(out, []byte("fatal error")) {
		t.Errorf("%s: %v\n%.1500s", what, p.ProcessState, out)
	}
}
