package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// syscalled is one system call of a traced process, as strace writes it.
type syscalled struct {
	name     string
	nth      int      // of this name on its thread, from 1
	args     []string // as written
	result   int64    // −1 for an error
	injected bool
}

// needsTrace skips a test that looks below the program where that cannot be done.
func needsTrace(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("strace is of Linux")
	}
	schematest.NeedsPrograms(t, "strace")
	if out, err := exec.Command("strace", "-o", os.DevNull, "-e", "trace=none", "true").CombinedOutput(); err != nil {
		schematest.SkipLacking(t, "strace cannot trace: %v\n%s", err, out)
	}
}

// trace runs a program under strace, told by tracing what to do, until it ends,
// and returns it with its calls in the order in which they ended. Go is kept to
// one thread as far as it can be: strace counts the calls of each on its own.
func trace(t *testing.T, path string, tracing, env, args []string) (*e2e.Program, []syscalled) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace.log")
	tracing = append([]string{"-f", "--seccomp-bpf", "-y", "-qq", "-e", "signal=none", "-o", log}, tracing...)
	p := &e2e.Program{Cmd: exec.Command("strace", append(append(tracing, path), args...)...)}
	p.Env = append(append(os.Environ(), "GOMAXPROCS=1"), env...)
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	if err := p.Run(); err != nil && p.ProcessState == nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	e2e.Must(t, err)
	calls, err := parseTrace(string(text))
	e2e.Must(t, err)
	return p, calls
}

// The three forms of a line: a call, its beginning, and its end.
var (
	wholeCall = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(.*)$`)
	callBegun = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	callEnded = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)$`)
)

func parseTrace(log string) (calls []syscalled, err error) {
	begun := map[string]string{} // by thread
	made := map[string]int{}     // by thread and name
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, "<detached ...>") { // the process ended
			continue
		}
		if m := callBegun.FindStringSubmatch(line); m != nil {
			begun[m[1]] = m[3]
			continue
		}
		if m := callEnded.FindStringSubmatch(line); m != nil {
			line = fmt.Sprintf("%s %s(%s%s", m[1], m[2], begun[m[1]], m[3])
		}
		m := wholeCall.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("strace wrote %.200q", line)
		}
		result, err := strconv.ParseInt(m[4], 10, 64)
		if err != nil { // the process ended in the call
			result = -1
		}
		made[m[1]+m[2]]++
		calls = append(calls, syscalled{
			name: m[2], nth: made[m[1]+m[2]], args: strings.Split(m[3], ", "), result: result,
			injected: strings.HasSuffix(m[5], "(INJECTED)"),
		})
	}
	return calls, nil
}

// about reports whether the call is about something in the folder.
func (s syscalled) about(dir string) bool {
	return strings.Contains(strings.Join(s.args, ", "), dir)
}

// path returns what an argument means that is a path, from a folder, or a descriptor.
func path(arg, from string) string {
	name := string(unhex(arg))
	if from == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(path(from, ""), name)
}

// unhex returns what is in quotes, or what a descriptor is of, every byte in hexadecimal.
func unhex(arg string) []byte {
	_, arg, _ = strings.Cut(arg, `\x`)
	if end := strings.IndexAny(arg, `">`); end >= 0 {
		arg = arg[:end]
	}
	b := make([]byte, 0, len(arg)/4+1)
	for digits := range strings.SplitSeq(arg, `\x`) {
		v, err := strconv.ParseUint(digits, 16, 8)
		if err != nil {
			return nil
		}
		b = append(b, byte(v))
	}
	return b
}
