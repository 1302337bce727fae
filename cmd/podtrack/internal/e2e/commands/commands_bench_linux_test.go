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

// measured are the commands whose memory [BenchmarkCommands] measures, each with a store of its own
// if it changes one. TINY are the flags of a tiny run, OUT is a path that does not exist.
var measured = []struct {
	args    string
	changes bool
}{
	{"ls --limit 1000", false}, {"ls", false}, {"ls --json", false}, {"ls seed=0", false}, {"ls --best distance", false},
	{"status", false}, {"status @1", false}, {"show @1", false}, {"options @1", false}, {"why @1:0/1+", false},
	{"replay @1", false}, {"diff @1 @2", false}, {"compare seed=0 seed=1", false},
	{"plot measures --by seed seed=0-1 -o OUT --format csv", false},
	{"export @1 -o OUT", false}, {"export seed=0-99999 -o OUT --format csv", false}, {"du", false}, {"check", false},
	{"check --read-data", false}, {"merge STORE --store OUT", false}, {"backup OUT", false},
	{"sweep TINY --seeds 0-9 --dry-run", false},
	{"run TINY --seed 1000000", true}, {"resume @1 --iterations 2", true}, {"fork @1:1 --set kappa=2 --name other", true},
	{"label @1 --tag x", true}, {"label seed=0-99999 --tag x", true}, {"prune --keep none", true}, {"rm @1", true},
	{"rm seed=0-49999 --yes", true}, {"compact", true}, {"repair", true},
}

const tinyFlags = "--bits 3 --steps 20 --iterations 1"

// BenchmarkCommands measures the peak memory of commands with the store of two default runs, and
// with one of 100,000 tiny runs. The large one takes minutes to make: PODTRACK_BENCH_STORES names a
// folder in which it is kept.
func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	b.Run("store=usual", func(b *testing.B) {
		path := filepath.Join(dir, "usual.db")
		measuredProcess(b, "run --seeds 0-1 --store "+path)
		measureCommands(b, path, dir)
	})
	b.Run("store=large", func(b *testing.B) {
		schematest.SkipUnlessLong(b)
		kept := dir
		if folder := os.Getenv("PODTRACK_BENCH_STORES"); folder != "" {
			kept = folder
		}
		path := filepath.Join(kept, "runs100000.db")
		if _, err := os.Stat(path); err != nil {
			measuredProcess(b, "run --seeds 0-99999 "+tinyFlags+" --store "+path)
		}
		measureCommands(b, path, dir)
	})
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

func measureCommands(b *testing.B, path, dir string) {
	for _, m := range measured {
		b.Run("do="+strings.ReplaceAll(m.args, " ", "_"), func(b *testing.B) {
			var peak int64
			var processor time.Duration
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				store, out := path, filepath.Join(b.TempDir(), fmt.Sprint("out", n))
				if m.changes {
					store = filepath.Join(b.TempDir(), fmt.Sprint("copy", n, ".db"))
					copyFile(b, path, store)
				}
				line := strings.NewReplacer("TINY", tinyFlags, "STORE", store, "OUT", out).Replace(m.args)
				if !strings.Contains(line, "--store") {
					line += " --store " + store
				}
				b.StartTimer()
				p := measuredProcess(b, line)
				peak = max(peak, p.SysUsage().(*syscall.Rusage).Maxrss)
				processor += p.UserTime() + p.SystemTime()
			}
			b.ReportMetric(float64(peak)/1e3, "peak-MB")
			b.ReportMetric(processor.Seconds()/float64(b.N), "cpu-s")
		})
	}
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
