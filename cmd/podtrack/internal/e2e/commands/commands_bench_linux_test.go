package commands

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
)

// ofRuns are the commands that [BenchmarkCommands] measures with two runs of several sizes. RUN are the flags of such
// a run, LAST is its last iteration, OUT a path that does not exist.
var ofRuns = []string{
	"run RUN --store OUT", "show @1", "show @1 --format html", "options @1", "why @1:LAST/1+", "why @1:0/1+ --forward",
	"diff @1 @2", "diff --group seed=0-1", "export @1 -o OUT --format npz",
	"replay @1", "check --read-data",
}

// reading and writing are those that it measures with many runs. STORE is the store, for those that write a copy; TINY
// are the flags of a tiny run.
var (
	reading = []string{
		"ls --limit 1000", "ls --limit 200 --format html", "ls", "ls --format html", "ls --json", "ls seed=0",
		"ls --best distance", "status",
		"compare seed=0-49 seed=50-9999", "plot measures --by seed seed=0-1 -o OUT --format csv",
		"export seed=0-9999 -o OUT --format csv", "check --read-data", "merge STORE --store OUT", "backup OUT",
		"sweep TINY --seeds 0-9 --dry-run",
	}
	writing = []string{
		"run TINY --seed 1000000", "label @1 --tag x", "label seed=0-9999 --tag x", "rm @1 --yes", "rm seed=0-4999 --yes",
		"compact", "repair",
	}
)

const tinyFlags = "--bits 3 --steps 20 --iterations 1"

// BenchmarkCommands measures the processor time and the peak memory of commands: with two runs of the paper's ring, in
// nine rooms and in open grids, each cell of which is a feature, and with many tiny runs. The tables of podtrack help
// performance are made of it. Run it with -benchtime 1x.
func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	for _, runs := range []struct {
		name, flags string
		last        int
		without     string // the command that refuses such runs
	}{
		{"ring", "--iterations 6", 5, ""},
		{"rooms-4", "--env grid:nine-rooms --steps 3000 --iterations 4", 3, ""},
		{"rooms-32", "--env grid:nine-rooms --steps 3000 --iterations 32", 31, "diff --group seed=0-1"},
		{"open-50", "--steps 20000 --iterations 1 --env grid:" + openMap(b, dir, 50), 0, ""},
		{"open-100", "--steps 20000 --iterations 1 --env grid:" + openMap(b, dir, 100), 0, ""},
	} {
		b.Run("of=run/store="+runs.name, func(b *testing.B) {
			if runs.name == "open-100" {
				schematest.SkipUnlessLong(b)
			}
			path := filepath.Join(dir, runs.name+".db")
			measuredProcess(b, "run "+runs.flags+" --seeds 0-1 --store "+path)
			for _, args := range ofRuns {
				if args != runs.without {
					measureCommand(b, args, path, false, "RUN", runs.flags, "LAST", fmt.Sprint(runs.last))
				}
			}
		})
	}
	for _, runs := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("of=store/store=%d", runs), func(b *testing.B) {
			path := filepath.Join(dir, fmt.Sprint(runs, ".db"))
			measuredProcess(b, fmt.Sprintf("run --seeds 0-%d %s --store %s", runs-1, tinyFlags, path))
			for _, args := range reading {
				measureCommand(b, args, path, false)
			}
			for _, args := range writing {
				measureCommand(b, args, path, true)
			}
		})
	}
}

// BenchmarkCompare compares as many tiny runs as two groups.
func BenchmarkCompare(b *testing.B) {
	for _, runs := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "podtrack.db")
			measuredProcess(b, fmt.Sprintf("run --seeds 0-%d %s --store %s", runs-1, tinyFlags, path))
			var processor time.Duration
			line := fmt.Sprintf("compare seed=0-%d seed=%d-%d --store %s", runs/2-1, runs/2, runs-1, path)
			for b.Loop() {
				p := measuredProcess(b, line)
				processor += p.UserTime() + p.SystemTime()
			}
			b.ReportMetric(processor.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// BenchmarkStart measures commands that do little, and so the start of the program.
func BenchmarkStart(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tiny.db")
	measuredProcess(b, "run --seeds 0 "+tinyFlags+" --store "+path)
	for _, line := range []string{"--version", "--help", "ls --store " + path} {
		b.Run("do="+strings.ReplaceAll(strings.TrimSuffix(line, " --store "+path), " ", "_"), func(b *testing.B) {
			var processor time.Duration
			for b.Loop() {
				p := measuredProcess(b, line)
				processor += p.UserTime() + p.SystemTime()
			}
			b.ReportMetric(processor.Seconds()*1e3/float64(b.N), "cpu-ms")
		})
	}
}

// measureCommand measures a command with the store at path, or with a copy of it. Pairs are words of args and what
// they stand for.
func measureCommand(b *testing.B, args, path string, copied bool, pairs ...string) {
	b.Run("do="+strings.ReplaceAll(args, " ", "_"), func(b *testing.B) {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		var peak int64
		var processor time.Duration
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			store, out := path, filepath.Join(b.TempDir(), fmt.Sprint("out", n))
			if copied {
				store = filepath.Join(b.TempDir(), fmt.Sprint("copy", n, ".db"))
				copyFile(b, path, store)
			}
			line := strings.NewReplacer(append(pairs, "TINY", tinyFlags, "STORE", store, "OUT", out)...).Replace(args)
			if !strings.Contains(line, "--store") {
				line += " --store " + store
			}
			b.StartTimer()
			p := measuredProcess(b, line)
			peak = max(peak, p.SysUsage().(*syscall.Rusage).Maxrss)
			processor += p.UserTime() + p.SystemTime()
		}
		b.ReportMetric(float64(info.Size())/1e6, "file-MB")
		b.ReportMetric(float64(peak)/1e3, "peak-MB")
		b.ReportMetric(processor.Seconds()/float64(b.N), "cpu-s")
	})
}

// openMap writes the map of an open grid of side × side cells and returns its path.
func openMap(b *testing.B, dir string, side int) string {
	b.Helper()
	free := strings.Repeat(".", side-1)
	cells := fmt.Sprintf("%d,%d\nS%s\n", side, side, free) + strings.Repeat("."+free+"\n", side-1)
	path := filepath.Join(dir, fmt.Sprint("open", side, ".txt"))
	if err := os.WriteFile(path, []byte(cells), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// measuredProcess runs the program, which may find a difference, and returns how it ended.
func measuredProcess(b *testing.B, line string) *os.ProcessState {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var stderr bytes.Buffer
	args := append([]string{"podtrack"}, strings.Fields(line)...)
	p := &exec.Cmd{Path: self, Args: args, Stdout: io.Discard, Stderr: &stderr}
	p.Env = append(os.Environ(), "GOGC=100") // as users have it
	debug.FreeOSMemory()                     // what this process has is counted, until the other executes its program
	if err := p.Run(); err != nil && p.ProcessState.ExitCode() != cmdline.ExitDifference {
		b.Fatalf("%s: %v\n%s", line, err, stderr.String())
	}
	return p.ProcessState
}

func copyFile(b *testing.B, from, to string) {
	b.Helper()
	source, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer source.Close()
	target, err := os.Create(to)
	if err == nil {
		_, err = io.Copy(target, source)
	}
	if err == nil {
		err = target.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
}
