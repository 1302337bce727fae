// Package schematest is podtrack's own: it says what tests can count on, the programs of the machine and the time they
// may take. Every test asks here, so that two environment variables mean the same everywhere:
//
//	PODTRACK_LONG_TESTS=1   runs crash storms, sweeps over every byte and the like
//	                        at full length; unset, they are short or skipped
//	PODTRACK_REQUIRE_ALL=1  skips no test: one that lacks something fails
package schematest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

const (
	longVariable       = "PODTRACK_LONG_TESTS"
	requireAllVariable = "PODTRACK_REQUIRE_ALL"
)

// Long reports whether long tests are wanted.
func Long() bool { return os.Getenv(longVariable) != "" }

// SkipUnlessLong skips a test that takes long, unless long tests are wanted or none may be skipped.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() && os.Getenv(requireAllVariable) == "" {
		t.Skip("takes long: set " + longVariable + "=1")
	}
}

// Size returns long where long tests are wanted, and short otherwise.
func Size[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Sample returns all cases at full length, and otherwise every third.
func Sample[T any](all []T) (some []T) {
	for i, x := range all {
		if Long() || i%3 == 0 {
			some = append(some, x)
		}
	}
	return some
}

// Main runs the tests of a package, and ends the process: a TestMain calls it. Without long tests, rapid draws fewer
// cases.
func Main(m *testing.M) {
	// The ballast is never touched, so it takes addresses but no memory. It lets the heap grow by its size before
	// a collection. The heap of most tests is a few megabytes of garbage, and collecting it would take a quarter
	// of their time.
	ballast := make([]byte, 64<<20)
	if checks := flag.Lookup("rapid.checks"); checks != nil && !Long() {
		if err := checks.Value.Set("25"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	runtime.KeepAlive(ballast)
	os.Exit(code)
}

// NeedsPrograms skips the test unless all programs are on PATH.
func NeedsPrograms(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			SkipLacking(t, "%s is not on PATH", name)
		}
	}
}

// SkipLacking skips a test that needs something this machine lacks, or fails it if all tests must run.
func SkipLacking(t testing.TB, format string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(format, args...)
	if err := Lacking(why); err != nil {
		t.Fatal(err)
	}
	t.Skip(why)
}

// Lacking returns an error with what a test lacks if all tests must run, or nil if the test may be skipped.
func Lacking(why string) error {
	if os.Getenv(requireAllVariable) == "" {
		return nil
	}
	return fmt.Errorf("%s, and %s is set", why, requireAllVariable)
}

// Must ends a test, or one case of a property test, if err is not nil.
func Must(t interface {
	Helper()
	Fatal(...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WriteProgram writes a file that can be executed at once. A process that another goroutine starts during the
// write would inherit the open file, and a file that is open for writing cannot be executed
// (go.dev/issue/22315), so no process is started until the file is closed.
func WriteProgram(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	Must(t, os.WriteFile(path, content, 0o755))
	Must(t, os.Chmod(path, 0o755))
}

// MeasureProcessorTime returns a function that reports, as cpu-s/op, the processor time of each operation since the
// call. A benchmark defers it before its loop.
func MeasureProcessorTime(b *testing.B) func() {
	before := ProcessorTime()
	return func() { b.ReportMetric((ProcessorTime()-before).Seconds()/float64(b.N), "cpu-s/op") }
}
